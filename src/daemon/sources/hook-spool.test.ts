import { spawnSync } from "node:child_process";
import fs, { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test, vi } from "vitest";
import type { Memory } from "../../agents/parsed.ts";
import type { JsonObject } from "../../domain/json.ts";
import { pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { placesOf } from "../places.ts";
import type { Carrying } from "../session/carrying.ts";
import { HookSpool, removeHalfHooks } from "./hook-spool.ts";

useFakeTime();

const MARKER = "0123456789abcdef0123456789abcdef";
const OTHER = "f".repeat(32);

type Taken = readonly [event: string, payload: JsonObject];

interface Spool extends Disposable {
  readonly hooks: string;
  /** Of the one session. */
  readonly taken: Taken[];
  readonly outside: Taken[];
  begin(): Promise<void>;
  /** Resolves when so many were taken, from inside and outside. */
  has(count: number): Promise<void>;
}

/** A spool with one session; its parser and whoever takes those from outside keep what they are given, fail for the event `fail`, and once for `full`. */
function newSpool(): Spool {
  const folder = tempFolder();
  const places = placesOf(folder.path);
  mkdirSync(places.hooks, { recursive: true });
  const taken: Taken[] = [];
  const outside: Taken[] = [];
  let isFull = true;
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const has = (count: number) => taken.length + outside.length >= count;
  const keep = (list: Taken[], event: string, payload: JsonObject) => {
    if (event === "fail") throw new Error("a parser broke its promise");
    if (event === "full" && isFull) {
      isFull = false;
      throw new Error("the disk is full");
    }
    list.push([event, payload]);
    for (const { count, resolve } of waiting) if (has(count)) resolve();
    return {};
  };
  const hook = (event: string, payload: JsonObject) => keep(taken, event, payload);
  const session = {
    id: "s",
    carrying: { mode: { sources: { hook: { parse: hook } } } } as unknown as Carrying,
    intake: { parsed: async (parse: (memory: Memory) => unknown) => void parse({}), sawHook: () => {} },
  };
  const services = { places, log: pino({ level: "silent" }) };
  const spool = new HookSpool(
    services,
    (marker) => (marker === MARKER ? session : undefined),
    async (event, payload) => void keep(outside, event, payload),
  );
  return {
    hooks: places.hooks,
    taken,
    outside,
    begin: () => spool.begin(),
    has: (count) => new Promise((resolve) => (has(count) ? resolve() : waiting.push({ count, resolve }))),
    [Symbol.dispose]: () => {
      spool.end();
      folder[Symbol.dispose]();
    },
  };
}

function leave(spool: Spool, name: string, text = "{}"): void {
  writeFileSync(join(spool.hooks, name), text);
}

describe("the spool", () => {
  test("takes what the script leaves", async () => {
    using spool = newSpool();
    await spool.begin();
    const env = { PATH: process.env.PATH, ROLLCALL_SESSION: MARKER, ROLLCALL_HOOKS: spool.hooks };
    const script = join(spool.hooks, "..", "hook.sh");
    spawnSync(script, ["turn_end"], { env, input: '{"turn":"good"}' });
    spawnSync(script, ["Stop", "outside"], { env: { PATH: process.env.PATH }, input: '{"session_id":"n"}' });
    await spool.has(2);
    expect(spool.taken).toEqual([["turn_end", { turn: "good" }]]);
    expect(spool.outside).toEqual([["Stop", { session_id: "n" }]]);
  });

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

  test("keeps what a state needs of a payload that holds a large file", async () => {
    using spool = newSpool();
    const tool_input = { file_path: "/w/large", content: "x".repeat(3_000_000) };
    leave(spool, `${MARKER}.1.1.PermissionRequest`, JSON.stringify({ tool_name: "Write", tool_input }));
    await spool.begin();
    const [[event, payload] = ["", {}]] = spool.taken;
    expect([event, payload.tool_name]).toEqual(["PermissionRequest", "Write"]);
    expect(payload.tool_input).toMatchObject({ file_path: "/w/large" });
    expect(JSON.stringify(payload).length).toBeLessThan(100_000);
  });

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

  test("takes what came while its folder could not be watched, once it can be", async () => {
    using spool = newSpool();
    const watching = vi.spyOn(fs, "watch").mockImplementationOnce(() => {
      throw new Error("the system watches no more folders");
    });
    syncBuiltinESMExports();
    await spool.begin();
    watching.mockRestore();
    syncBuiltinESMExports();
    leave(spool, `${MARKER}.1.1.e`);
    await pass(1999);
    expect(spool.taken).toEqual([]);
    await pass(1);
    await spool.has(1);
  });

  test("tries one that could not be taken again by itself, after two seconds", async () => {
    using spool = newSpool();
    leave(spool, `${MARKER}.1.1.full`);
    await spool.begin();
    await pass(1999);
    expect(spool.taken).toEqual([]);
    await pass(1);
    await spool.has(1);
    expect(spool.taken).toEqual([["full", {}]]);
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
    const names = [
      "notes.txt",
      `.${MARKER}.1.${process.pid}.e`,
      `${MARKER}.x.1.e`,
      `${MARKER}.1.1.a b`,
      "outsider.1.1.e",
    ];
    names.sort();
    for (const name of names) leave(spool, name);
    await spool.begin();
    expect(readdirSync(spool.hooks).sort()).toEqual(names);
    expect(spool.taken).toEqual([]);
  });

  test("removes what a hook that is gone had half written, from inside and outside", async () => {
    using spool = newSpool();
    const { pid } = spawnSync("true");
    for (const of of [MARKER, OTHER, "outside"]) leave(spool, `.${of}.1.${pid}.e`, "{");
    await spool.begin();
    expect(readdirSync(spool.hooks)).toEqual([]);
    expect([...spool.taken, ...spool.outside]).toEqual([]);
  });
});

test("half-written files of hooks that were ended with their launch are removed, and those of no other", () => {
  using spool = newSpool();
  const whole = `${MARKER}.1.2.stop`;
  for (const name of [`.${MARKER}.1.2.stop`, `.${OTHER}.1.2.stop`, whole]) leave(spool, name);
  removeHalfHooks(spool.hooks, MARKER);
  expect(readdirSync(spool.hooks).sort()).toEqual([`.${OTHER}.1.2.stop`, whole]);
});
