import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OpenOptions, openRollcall, type Rollcall } from "../../src/index.ts";
import { RUN_MARK } from "../../src/testing/leak-check.ts";
import { tempFolder } from "../../src/testing/temp-folder.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
export const LAUNCHER = join(ROOT, "bin", "rollcall.cjs");

/** What a process said, and how it ended. */
export interface Answer {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Its standard output as JSON; fails where it is none. */
  readonly json: Shown;
  /** The only one of its `results`; fails where there are none or more. */
  readonly only: Shown;
  /** What went wrong, also with the only one of its `results`. */
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null };
}

/** JSON as it came; the keys that tests reach into have their types. */
export interface Shown {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly sessions: readonly Shown[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A user of their own: home, state folder, workspace and temp folder, all gone at the end. */
export interface User extends Disposable {
  readonly folder: string;
  readonly state: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  rollcall(args: readonly string[], options?: RunOptions): Promise<Answer>;
  /** The same of a call that must succeed. */
  ok(args: readonly string[], options?: RunOptions): Promise<Answer>;
  /** Makes a record, with the answer's id. */
  create(...args: string[]): Promise<string>;
  upsert(...lines: readonly object[]): Promise<void>;
  /** The library on the same state folder, for what no command can make. */
  library(options?: OpenOptions): Promise<Rollcall>;
  /** Everything that a refused call must leave as it was. */
  everything(): Promise<string>;
}

export function newUser(): User {
  const temporary = tempFolder();
  const folder = temporary.path;
  const [home, workspace, temp] = ["home", "work", "tmp"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, workspace, temp]) mkdirSync(path);
  const state = join(folder, "state");
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    ROLLCALL_HOME: state,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...mark(),
  };
  const rollcall: User["rollcall"] = (args, options = {}) =>
    run(process.execPath, [LAUNCHER, ...args], {
      cwd: workspace,
      ...options,
      env: { ...env, ...options.env },
    });
  const ok: User["ok"] = async (args, options) => succeeded(args, await rollcall(args, options));
  return {
    folder,
    state,
    workspace,
    env,
    rollcall,
    ok,
    create: async (...args) => (await ok(["create", ...args])).stdout.trim(),
    upsert: async (...lines) => {
      await ok(["upsert"], { input: lines.map((line) => JSON.stringify(line)).join("\n") });
    },
    library: (options) => openRollcall({ home: state, cwd: workspace, env: {}, channel: "cli", ...options }),
    everything: async () => {
      const [list, events] = await Promise.all([ok(["list", "--json"]), ok(["events", "--json"])]);
      return [list.stdout, events.stdout, ...filesBelow(folder, state)].join("\n");
    },
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

/** So that whatever a call leaves behind is found at the end of the run. */
function mark(): Record<string, string> {
  const value = process.env[RUN_MARK];
  return value === undefined ? {} : { [RUN_MARK]: value };
}

export async function run(
  program: string,
  args: readonly string[],
  { input = "", env = {}, cwd = "/" }: RunOptions = {},
): Promise<Answer> {
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (data: Buffer) => out.push(data));
  child.stderr.on("data", (data: Buffer) => err.push(data));
  // It may end before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return answer(code, signal, Buffer.concat(out).toString(), Buffer.concat(err).toString());
}

function answer(code: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string): Answer {
  return {
    code,
    signal,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout) as Shown;
    },
    get only() {
      return onlyResult(stdout);
    },
    get error() {
      return (stderr === "" ? onlyResult(stdout) : (JSON.parse(stderr) as Shown)).error as Answer["error"];
    },
  };
}

function onlyResult(stdout: string): Shown {
  const { results } = JSON.parse(stdout) as { readonly results: readonly Shown[] };
  if (results.length !== 1) throw new Error(`There is not one result: ${stdout}`);
  return results[0] as Shown;
}

function succeeded(args: readonly string[], given: Answer): Answer {
  if (given.code === 0) return given;
  throw new Error(`rollcall ${args.join(" ")} ended with ${given.code}: ${given.stderr}${given.stdout}`);
}

/** Paths with their content, but for the state folder, where names must do: its database is written by reading, too. */
function filesBelow(folder: string, state: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return names.map((name) => {
    const path = join(folder, name);
    const isOurs = path === state || path.startsWith(`${state}/`);
    return isOurs || statSync(path).isDirectory() ? path : `${path}: ${readFileSync(path, "utf8")}`;
  });
}
