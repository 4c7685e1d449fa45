import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../domain/json.ts";
import { placeHookScript } from "../record/hook-script.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { HookSpool } from "./hook-spool.ts";
import type { LiveSession } from "./live-session.ts";
import { placesOf } from "./places.ts";
import type { Services } from "./services.ts";

const MARKER = "0123456789abcdef0123456789abcdef";
const OTHER = "f".repeat(32);

type Taken = readonly [event: string, payload: JsonObject];

interface Spool extends Disposable {
  readonly hooks: string;
  readonly script: string;
  /** Of the one session. */
  readonly taken: Taken[];
  readonly outside: Taken[];
  /** Puts the script in place, as a call of the command line does that finds no daemon. */
  place(): void;
  begin(): Promise<void>;
  /** Resolves when so many were taken, from inside and outside. */
  has(count: number): Promise<void>;
}

/** A spool with one session; its parser and whoever takes those from outside keep what they are given and fail for the event `fail`. */
function newSpool(): Spool {
  const folder = tempFolder();
  const places = placesOf(folder.path);
  mkdirSync(places.hooks, { recursive: true });
  const taken: Taken[] = [];
  const outside: Taken[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const has = (count: number) => taken.length + outside.length >= count;
  const keep = (list: Taken[], event: string, payload: JsonObject) => {
    if (event === "fail") throw new Error("a parser broke its promise");
    list.push([event, payload]);
    for (const { count, resolve } of waiting) if (has(count)) resolve();
    return {};
  };
  const hook = (event: string, payload: JsonObject) => keep(taken, event, payload);
  const session = {
    carrying: { agent: { observe: { hook } } },
    findings: { take: async () => {} },
  } as unknown as LiveSession;
  const services = { places, log: pino({ level: "silent" }) } as unknown as Services;
  const spool = new HookSpool(
    services,
    (marker) => (marker === MARKER ? session : undefined),
    async (event, payload) => void keep(outside, event, payload),
  );
  return {
    hooks: places.hooks,
    script: places.hookScript,
    taken,
    outside,
    place: () => void placeHookScript(folder.path),
    begin: () => spool.begin(),
    has: (count) => new Promise((resolve) => (has(count) ? resolve() : waiting.push({ count, resolve }))),
    [Symbol.dispose]: () => {
      spool.end();
      folder[Symbol.dispose]();
    },
  };
}

/** By their path, for the script is also tried without a PATH. */
const SHELLS = [["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"]].flatMap(([program, ...flags]) => {
  const { stdout } = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" });
  return stdout === "" ? [] : [[stdout.trim(), ...flags]];
});

describe.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))("the script under %s", (_, shell) => {
  const [program, ...flags] = shell as [string, ...string[]];

  async function call(
    spool: Spool,
    args: readonly string[],
    { env = {}, input = "{}" }: { readonly env?: Record<string, string>; readonly input?: string } = {},
  ): Promise<string> {
    const child = spawn(program, [...flags, spool.script, ...args], {
      env: { PATH: process.env.PATH ?? "", ROLLCALL_SESSION: MARKER, ROLLCALL_HOOKS: spool.hooks, ...env },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => (said += data.toString()));
    const broken = once(child.stdin, "error").then(([error]) => (said += `${error}`));
    child.stdin.end(input);
    const [code] = await Promise.race([once(child, "close"), broken]);
    return code === 0 ? said : `${said} exit ${code}`;
  }

  test("leaves the event with its payload, for the user alone", async () => {
    using spool = newSpool();
    await spool.begin();
    expect(await call(spool, ["turn_end"], { input: '{"turn":"good"}' })).toBe("");
    await spool.has(1);
    expect(spool.taken).toEqual([["turn_end", { turn: "good" }]]);
  });

  const HOSTILE = [
    "../../x",
    "a b",
    "$(touch x)",
    "`id`",
    ";rm -rf /",
    "*",
    "é",
    "a\nb",
    "x".repeat(65),
    "..",
    "a/b",
    "-n.",
  ];

  test.each(HOSTILE)("takes nothing of an event named %j, and the agent does not notice", async (event) => {
    using spool = newSpool();
    await spool.begin();
    expect(await call(spool, [event], { input: "x".repeat(1_000_000) })).toBe("");
    expect(readdirSync(spool.hooks)).toEqual([]);
    expect(spool.taken).toEqual([]);
  });

  const BAD_ENV: readonly (readonly [string, Record<string, string>])[] = [
    ["nothing of Rollcall", { ROLLCALL_SESSION: "", ROLLCALL_HOOKS: "" }],
    ["no session", { ROLLCALL_SESSION: "" }],
    ["no folder", { ROLLCALL_HOOKS: "" }],
    ["a session that is a path", { ROLLCALL_SESSION: "../../../../../../tmp/rollcall-aaaa" }],
    ["a session of the wrong length", { ROLLCALL_SESSION: "abc" }],
    ["a folder that is gone", { ROLLCALL_HOOKS: "/nowhere/at/all" }],
    ["a folder that is a file", { ROLLCALL_HOOKS: "/etc/hostname" }],
  ];

  test.each(BAD_ENV)("exits 0 in silence with %s", async (_what, env) => {
    using spool = newSpool();
    await spool.begin();
    expect(await call(spool, ["turn_end"], { env, input: "x".repeat(1_000_000) })).toBe("");
    expect(readdirSync(spool.hooks)).toEqual([]);
  });

  const NOTHING_OF_OURS = { ROLLCALL_SESSION: "", ROLLCALL_HOOKS: "" };

  test("leaves an event of a session outside in the folder beside itself, until someone takes it", async () => {
    using spool = newSpool();
    spool.place();
    const input = '{"session_id":"native"}';
    expect(await call(spool, ["Stop", "outside"], { env: NOTHING_OF_OURS, input })).toBe("");
    const [name = "", ...others] = readdirSync(spool.hooks);
    expect([name, others]).toEqual([expect.stringMatching(/^outside\.\d+\.\d+\.Stop$/), []]);
    expect(statSync(join(spool.hooks, name)).mode & 0o777).toBe(0o600);
    await spool.begin();
    expect([spool.outside, spool.taken]).toEqual([[["Stop", { session_id: "native" }]], []]);
    expect(readdirSync(spool.hooks)).toEqual([]);
  });

  test("of the user's own settings it does nothing inside a session that Rollcall carries", async () => {
    using spool = newSpool();
    spool.place();
    expect(await call(spool, ["Stop", "outside"], { input: "x".repeat(1_000_000) })).toBe("");
    expect(readdirSync(spool.hooks)).toEqual([]);
  });

  test.each(HOSTILE)("takes nothing of an event named %j from outside either", async (event) => {
    using spool = newSpool();
    spool.place();
    expect(await call(spool, [event, "outside"], { env: NOTHING_OF_OURS })).toBe("");
    expect(readdirSync(spool.hooks)).toEqual([]);
  });

  test("keeps the newest thousand of those from outside, and all of its own sessions", async () => {
    using spool = newSpool();
    spool.place();
    for (let at = 1000; at < 2000; at++) leave(spool, `outside.${at}.1.e`);
    leave(spool, `${MARKER}.1.1.e`);
    expect(await call(spool, ["Stop", "outside"], { env: NOTHING_OF_OURS })).toBe("");
    const names = readdirSync(spool.hooks);
    expect(names).toHaveLength(1001);
    expect(names).not.toContain("outside.1000.1.e");
    expect(names).toEqual(expect.arrayContaining(["outside.1001.1.e", `${MARKER}.1.1.e`]));
  });

  test("exits 0 in silence where it may not write", async () => {
    using spool = newSpool();
    await spool.begin();
    const full = join(spool.hooks, "full");
    mkdirSync(full);
    chmodSync(full, 0o500);
    const env = { ROLLCALL_HOOKS: process.getuid?.() === 0 ? "/proc/self" : full };
    expect(await call(spool, ["turn_end"], { env, input: "x".repeat(1_000_000) })).toBe("");
  });

  test("exits 0 in silence without the tools of the system", async () => {
    using spool = newSpool();
    await spool.begin();
    const env = { PATH: "/nowhere", ROLLCALL_SESSION: MARKER, ROLLCALL_HOOKS: spool.hooks };
    const { status, stdout, stderr } = spawnSync(program, [...flags, spool.script, "turn_end"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });

  test("waits for nobody at a terminal", async () => {
    using spool = newSpool();
    await spool.begin();
    const env = { PATH: process.env.PATH ?? "", ROLLCALL_SESSION: MARKER, ROLLCALL_HOOKS: spool.hooks };
    const command = [...shell, spool.script, "turn_end"].join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    await spool.has(1);
  });
});

function leave(spool: Spool, name: string, text = "{}"): void {
  writeFileSync(join(spool.hooks, name), text);
}

describe("the spool", () => {
  test("takes what was left while there was no daemon, in the order of time and not of names", async () => {
    using spool = newSpool();
    leave(spool, `${MARKER}.10000000000.7.c`);
    leave(spool, `${MARKER}.9000000000.99.a`);
    leave(spool, `${MARKER}.9000000000.100.b`);
    await spool.begin();
    expect(spool.taken.map(([event]) => event)).toEqual(["a", "b", "c"]);
    expect(readdirSync(spool.hooks)).toEqual([]);
  });

  test("takes what comes, each once", async () => {
    using spool = newSpool();
    await spool.begin();
    for (let at = 0; at < 50; at++) leave(spool, `${MARKER}.${at}.1.e${at}`, JSON.stringify({ at }));
    await spool.has(50);
    expect(new Set(spool.taken.map(([event]) => event)).size).toBe(50);
    expect(spool.taken).toHaveLength(50);
  });

  const GARBAGE = [
    "no JSON",
    "[1]",
    "null",
    '"text"',
    "{",
    "\0\0\0",
    '{"a":1}{"b":2}',
    `"${"x".repeat(2_000_000)}"`,
  ];

  test("passes over what is no JSON object, and is not stopped by it", async () => {
    using spool = newSpool();
    for (const [index, text] of GARBAGE.entries()) leave(spool, `${MARKER}.${index}.1.e`, text);
    mkdirSync(join(spool.hooks, `${MARKER}.50.1.folder`));
    spawnSync("mkfifo", [join(spool.hooks, `${MARKER}.51.1.fifo`)]);
    leave(spool, `${MARKER}.60.1.good`, "");
    leave(spool, `${OTHER}.61.1.stranger`);
    await spool.begin();
    expect(spool.taken).toEqual([["good", {}]]);
    expect(readdirSync(spool.hooks)).toEqual([]);
  });

  test("keeps one that fails, and takes those behind it", async () => {
    using spool = newSpool();
    leave(spool, `${MARKER}.1.1.fail`);
    leave(spool, `${MARKER}.2.1.next`);
    await spool.begin();
    expect(spool.taken.map(([event]) => event)).toEqual(["next"]);
    expect(readdirSync(spool.hooks)).toEqual([`${MARKER}.1.1.fail`]);
  });

  test("keeps one from outside that is refused, takes those behind it, and passes over what is no JSON", async () => {
    using spool = newSpool();
    leave(spool, "outside.1.1.fail");
    leave(spool, "outside.2.1.garbage", "{");
    leave(spool, "outside.3.1.next");
    await spool.begin();
    expect(spool.outside).toEqual([["next", {}]]);
    expect(readdirSync(spool.hooks)).toEqual(["outside.1.1.fail"]);
  });

  test("leaves files alone that no hook of ours made, or that are still being written", async () => {
    using spool = newSpool();
    const names = ["notes.txt", `.${MARKER}.1.1.e`, `${MARKER}.x.1.e`, `${MARKER}.1.1.a b`, "outsider.1.1.e"];
    names.sort();
    for (const name of names) leave(spool, name);
    await spool.begin();
    expect(readdirSync(spool.hooks).sort()).toEqual(names);
    expect(spool.taken).toEqual([]);
  });

  test("puts the script in place whole, for the user alone", async () => {
    using spool = newSpool();
    await spool.begin();
    expect(statSync(spool.script).mode & 0o777).toBe(0o700);
    expect(readFileSync(spool.script, "utf8")).toMatch(/^#!\/bin\/sh\n/);
    expect(readdirSync(dirname(spool.script)).sort()).toEqual(["hook.sh", "hooks"]);
  });
});
