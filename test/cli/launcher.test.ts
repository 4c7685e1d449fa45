import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER, newUser, ROOT, run, type User } from "./rollcall.ts";

const oldNode = findOldNode();

/** The launcher alone, in a folder with neither a build nor a pinned Node. */
function bareLauncher(user: User): string {
  const bin = join(user.folder, "bare", "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(LAUNCHER, join(bin, "rollcall.cjs"));
  return join(bin, "rollcall.cjs");
}

test("a command line that is not built says so in one sentence and exits 1", async () => {
  using user = newUser();
  const given = await run(process.execPath, [bareLauncher(user), "list"], { env: user.env });
  expect(given).toMatchObject({ code: 1, stdout: "" });
  expect(given.stderr).toMatch(/^rollcall: [^\n]*npm run build[^\n]*\.\n$/);
});

test("called by a symlink, as npm installs it, it passes words, input and exit codes through", async () => {
  using user = newUser();
  const link = join(user.folder, "rollcall");
  symlinkSync(LAUNCHER, link);
  const call = (args: string[], input = "") => run(link, args, { env: user.env, cwd: user.workspace, input });
  expect(await call(["upsert"], '{"id":"s1"}')).toMatchObject({ code: 0, stderr: "" });
  expect((await call(["get", "s1", "--json"])).json.id).toBe("s1");
  expect((await call(["get", "no  body"])).stderr).toContain("no  body");
  expect((await call(["attach", "nobody"])).code).toBe(3);
  expect((await call(["list", "--env-file=x"])).code).toBe(2);
});

test("an agent gets variables whose names a shell cannot set, line breaks and all", async () => {
  using user = newUser();
  const odd = { "a.b": "one\ntwo", "BASH_FUNC_say%%": "() { echo hi; }" };
  const show = join(user.folder, "show.cjs");
  writeFileSync(show, `process.on("exit", () => process.stderr.write(JSON.stringify(process.env)))`);
  const env = { ...user.env, ...odd, NODE_OPTIONS: `--require=${show}`, PWD: "/" };
  const { stderr } = await run(LAUNCHER, ["start", "--help"], { env });
  expect(JSON.parse(stderr)).toEqual(env);
});

const TOOL_USE = { tool_name: "Agent", tool_input: { prompt: "agent_id: s1" } };

test.each([
  [["get", "s1", "--json"], {}, []],
  [["hook", "pre-delegate"], { agent_id: "s1" }, []],
  [["hook", "pre-delegate", "--from", "claude"], TOOL_USE, ["hooks"]],
])(
  "rollcall %j loads two parts, and of agents the hooks of the one that calls",
  async (args, input, more) => {
    using user = newUser();
    await user.create("--id", "s1");
    const loaded = await loadedBy(user, args, JSON.stringify(input));
    expect(partsOf(loaded)).toEqual(["base", ...more, "record", "rolldown-runtime"]);
    // A clock that Node has to load ten modules for.
    expect(loaded).not.toContain("NativeModule perf_hooks");
  },
);

/** Everything that a call loads: files, and modules of Node. */
async function loadedBy(user: User, args: readonly string[], input: string): Promise<string[]> {
  const script = join(user.folder, "loaded.cjs");
  const loaded = "[...Object.keys(require.cache), ...process.moduleLoadList]";
  writeFileSync(script, `process.on("exit", () => process.stderr.write(${loaded}.join("\\n")))`);
  const call = ["--require", script, LAUNCHER, ...args];
  const given = await run(process.execPath, call, { env: user.env, cwd: user.workspace, input });
  expect(given.code).toBe(0);
  return given.stderr.split("\n");
}

/** The parts of the built command line, without their hashes. */
function partsOf(loaded: readonly string[]): string[] {
  return loaded.flatMap((path) => /cli\/chunks\/(.+)-.{8}\.cjs$/.exec(path)?.[1] ?? []).sort();
}

test.runIf(oldNode)(
  "on an old Node it runs with the pinned one: words, input and exit codes pass through",
  async () => {
    using user = newUser();
    const call = (args: string[], input = "") =>
      run(oldNode as string, [LAUNCHER, ...args], { env: user.env, cwd: user.workspace, input });
    expect(await call(["create", "--id", "a b"])).toMatchObject({ code: 2, stdout: "" });
    expect(await call(["upsert"], '{"id":"s1"}')).toMatchObject({ code: 0 });
    expect((await call(["get", "s1", "--json"])).json.id).toBe("s1");
    expect((await call(["get", "nobody"])).code).toBe(3);
  },
);

test.runIf(oldNode)(
  "on an old Node without the pinned one it says what it needs in one sentence and exits 1",
  async () => {
    using user = newUser();
    const given = await run(oldNode as string, [bareLauncher(user), "list"], { env: user.env });
    expect(given).toMatchObject({ code: 1, stdout: "" });
    expect(given.stderr).toMatch(/^rollcall: [^\n]*needs Node 22\.12[^\n]*\.\n$/);
  },
);

test.runIf(oldNode)("on an old Node the library says which Node it needs", async () => {
  const load = `import(${JSON.stringify(join(ROOT, "dist", "index.js"))}).catch((error) => console.log(String(error)))`;
  const given = await run(oldNode as string, ["-e", load]);
  expect(given.stdout).toMatch(/^Error: Rollcall needs Node 22\.12 or newer, and this is \d+\.\d+\.\d+\.\n$/);
});

test.runIf(oldNode)("what is built has no syntax that only the newest Node can read", async () => {
  const files = ["cli/main.cjs", "daemon/main.cjs", ...chunks()].map((name) => join(ROOT, "dist", name));
  // One process for all of them: starting an old Node for each takes minutes on a busy machine.
  const compile = `
    const { readFileSync } = require("node:fs");
    const { Script } = require("node:vm");
    for (const file of process.argv.slice(1))
      new Script("(function () {" + readFileSync(file, "utf8").replace(/^#!.*/, "") + "\\n})", { filename: file });`;
  const { code, stderr } = await run(oldNode as string, ["-e", compile, ...files]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

function chunks(): string[] {
  return readdirSync(join(ROOT, "dist", "cli", "chunks")).map((name) => join("cli", "chunks", name));
}

test.runIf(oldNode).each(["SIGTERM", "SIGQUIT"] as const)(
  "ended by %s on an old Node, it leaves no process behind",
  async (signal) => {
    using user = newUser();
    await user.create("--id", "s1");
    const launcher = spawn(oldNode as string, [LAUNCHER, "events", "s1", "-f", "--json"], {
      env: user.env,
      cwd: user.workspace,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(launcher.stdout, "data");
    const pid = readFileSync(`/proc/${launcher.pid}/task/${launcher.pid}/children`, "utf8").trim();
    launcher.kill(signal);
    // The pipe is closed when the last process that holds it is gone.
    const isGone = await Promise.race([once(launcher, "close").then(() => true), later(3000)]);
    if (pid !== "" && existsSync(`/proc/${pid}`)) process.kill(Number(pid));
    expect(isGone).toBe(true);
  },
);

test.runIf(oldNode)("Ctrl-\\ leaves an attach on an old Node while the pinned one still starts", async () => {
  using user = newUser();
  const hold = join(user.folder, "hold.cjs");
  const isPinned = "Number(process.versions.node.split('.')[0]) >= 22";
  const wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
  writeFileSync(hold, `if (${isPinned}) { process.stdout.write(process.pid + "\\n"); ${wait}; }`);
  const launcher = spawn(oldNode as string, [LAUNCHER, "attach", "s1"], {
    env: { ...user.env, NODE_OPTIONS: `--require ${hold}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  launcher.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const [pid] = (await once(launcher.stdout, "data")) as [Buffer];
  // A terminal sends it to both of them. The launcher last: it passes the signal on, and the other may be gone then.
  for (const one of [Number(pid), launcher.pid as number]) process.kill(one, "SIGQUIT");
  expect(await once(launcher, "close")).toEqual([0, null]);
  expect(errors).toBe("Detached; come back with `rollcall attach s1`.\n");
});

function later(ms: number): Promise<boolean> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}

function findOldNode(): string | undefined {
  try {
    const version = execFileSync("/usr/bin/node", ["--version"], { encoding: "utf8" });
    if (Number(/^v(\d+)/.exec(version)?.[1]) < 22) return "/usr/bin/node";
  } catch {
    // There is none.
  }
  // Node 24 alone is no less of a machine: the clone test runs both.
  process.stdout.write(
    "not run: an old Node is missing (apt-get install nodejs, for a /usr/bin/node before 22.12)\n",
  );
  return undefined;
}
