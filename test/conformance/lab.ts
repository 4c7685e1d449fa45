import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { RUN_MARK } from "../../src/testing/leak-check.ts";
import { type Answer, LAUNCHER, type RunOptions, run, type Shown } from "../cli/rollcall.ts";
import { gone, processesOf } from "../live/user.ts";
import type { RecordedRequest } from "./model-server/recorded-request.ts";
import { type ModelServer, startModelServer } from "./model-server/server.ts";
import type { Kind } from "./moments.ts";
import { newPlace, type Place, type PlaceOptions } from "./place.ts";
import {
  type Adapter,
  installAdapter,
  installProgram,
  type Program,
  type ProgramName,
  type WithAdapter,
} from "./programs.ts";
import { Watched } from "./watched.ts";

/** A real program, a scripted model and a Rollcall of their own. At the end nothing of them may be left. */
export interface Lab extends AsyncDisposable {
  readonly model: ModelServer;
  readonly place: Place;
  readonly program: Program;
  readonly env: Readonly<Record<string, string>>;
  rollcall(args: readonly string[], options?: RunOptions): Promise<Answer>;
  ok(args: readonly string[], options?: RunOptions): Promise<Answer>;
  /** Starts the program through Rollcall and watches what becomes of it. */
  start(kind: Kind, ...args: readonly string[]): Promise<Watched>;
  /** The same with another program that is there beside it. */
  startOf(program: ProgramName, kind: Kind, ...args: readonly string[]): Promise<Watched>;
  watch(id: string, kind: Kind): Promise<Watched>;
  /** What the program asked its model for in a turn last. */
  lastTurn(): RecordedRequest | undefined;
  /** `kill -9` of the daemon. */
  killDaemon(): Promise<void>;
}

type LabOptions = Omit<PlaceOptions, "modelUrl"> & {
  /** For a program that speaks the Agent Client Protocol: whose adapter. */
  readonly adapter?: WithAdapter;
  readonly adapters?: readonly WithAdapter[];
  /** Programs that work in the same folder. */
  readonly beside?: readonly ProgramName[];
};

export async function newLab(
  name: ProgramName,
  { adapter, adapters: adapterNames = adapter ? [adapter] : [], beside = [], ...options }: LabOptions = {},
): Promise<Lab> {
  const program = await installProgram(name, versionOf(name));
  const others = await Promise.all(beside.map(async (other) => installProgram(other, versionOf(other))));
  const all = [program, ...others];
  const adapters = await Promise.all(adapterNames.map(installAdapter));
  const model = await startModelServer();
  const place = newPlace([name, ...beside], { ...options, modelUrl: model.url });
  const env = envOf(place, all, adapters);
  const rollcall: Lab["rollcall"] = (args, given = {}) =>
    run(process.execPath, [LAUNCHER, ...args], {
      cwd: place.project,
      ...given,
      env: { ...env, ...given.env },
    });
  const ok: Lab["ok"] = async (args, given) => {
    const answer = await rollcall(args, given);
    if (answer.code === 0) return answer;
    throw new Error(`rollcall ${args.join(" ")} ended with ${answer.code}: ${answer.stderr}${answer.stdout}`);
  };
  const watched: Watched[] = [];
  const watchOf = (id: string, kind: Kind, of: Program) => {
    const session = new Watched({ id, kind, env, program: of, ok, rollcall });
    watched.push(session);
    return session;
  };
  const startOf: Lab["startOf"] = async (of, kind, ...args) => {
    const given = ["start", of, "--kind", kind, "-d", "--json", ...withOwnArgs(of, kind, args)];
    const started = all.find((one) => one.name === of) as Program;
    return watchOf(((await ok(given)).json as Shown).id, kind, started);
  };
  return {
    model,
    place,
    program,
    env,
    rollcall,
    ok,
    watch: async (id, kind) => watchOf(id, kind, program),
    start: async (kind, ...args) => startOf(name, kind, ...args),
    startOf,
    lastTurn: () => model.requests.findLast(({ isAuxiliary }) => !isAuxiliary),
    killDaemon: async () => {
      const { daemon } = (await ok(["status", "--json"])).json as unknown as { daemon: { pid: number } };
      process.kill(daemon.pid, "SIGKILL");
      await gone(daemon.pid);
    },
    [Symbol.asyncDispose]: async () => {
      await rollcall(["up"]);
      const down = await rollcall(["down", "--end-all", "--grace", "2s"]);
      for (const session of watched) await session.stop();
      await model[Symbol.asyncDispose]();
      const left = processesOf(place.root);
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      place[Symbol.dispose]();
      if (down.stderr !== "") throw new Error(`down said: ${down.stderr}`);
      if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
    },
  };
}

/** The program as its user starts it, without Rollcall. */
export function byHand(lab: Lab, args: readonly string[]): Disposable & { readonly child: ChildProcess } {
  const { ROLLCALL_HOME: _, ...env } = lab.env;
  const child = spawn(lab.program.path, args, { cwd: lab.place.project, env, stdio: "ignore" });
  return { child, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

/** Another release than the pinned one can be asked for by name. */
function versionOf(name: ProgramName): string | undefined {
  return process.env[`ROLLCALL_CONFORMANCE_${name.toUpperCase()}`];
}

/** Claude decides by itself what it asks for, unless it is told to ask. */
function withOwnArgs(name: ProgramName, kind: Kind, args: readonly string[]): string[] {
  const own =
    name === "claude" && kind !== "acp"
      ? ["--permission-mode", kind === "interactive" ? "manual" : "default"]
      : [];
  const at = args.indexOf("--");
  const [before, after] = at < 0 ? [args, []] : [args.slice(0, at), args.slice(at + 1)];
  const behind = [...own, ...after];
  return behind.length === 0 ? [...before] : [...before, "--", ...behind];
}

function envOf(
  place: Place,
  programs: readonly Program[],
  adapters: readonly Adapter[],
): Record<string, string> {
  const bin = join(place.root, "bin");
  mkdirSync(bin);
  for (const { path, name } of programs) symlinkSync(path, join(bin, name));
  const used: Record<string, string> = {};
  for (const { path, command, uses, of } of adapters) {
    chmodSync(path, 0o755);
    symlinkSync(path, join(bin, command));
    used[uses] = programs.find(({ name }) => name === of)?.path ?? "";
  }
  const temp = join(place.root, "tmp");
  mkdirSync(temp);
  const mark = process.env[RUN_MARK];
  return {
    ...place.env,
    ...used,
    ...(adapters.length === 0 ? {} : { INITIAL_AGENT_MODE: "read-only" }),
    PATH: `${bin}:${dirname(process.execPath)}:${place.env.PATH}`,
    TMPDIR: temp,
    ROLLCALL_HOME: join(place.root, "state"),
    ...(mark === undefined ? {} : { [RUN_MARK]: mark }),
  };
}
