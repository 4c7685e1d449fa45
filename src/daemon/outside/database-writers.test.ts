import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { OutsideRows } from "../../agents/agent.ts";
import { pidsWriting } from "../../machine/open-files.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { writersOf } from "./database-writers.ts";

const MARKED = { ...process.env, ROLLCALL_SESSION: "b".repeat(32) };
/** Serves any folder, by its command line. */
const SERVER = "1001";
const ROWS: OutsideRows = { conversations: "", worksAnywhere: (command) => command.includes(SERVER) };

interface Given {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly seconds?: string;
}

/** A database that processes have open for writing until the test is over. */
async function openedBy(...all: readonly Given[]) {
  const folder = tempFolder();
  const path = join(folder.path, "opencode.db");
  const children: ChildProcess[] = [];
  const fd = openSync(path, "a");
  for (const { cwd = folder.path, env = process.env, seconds = "1000" } of all)
    children.push(spawn("sleep", [seconds], { stdio: ["ignore", "ignore", fd], cwd, env }));
  closeSync(fd);
  const pids = children.map(({ pid }) => pid as number);
  while (!pids.every((pid) => pidsWriting(path).includes(pid))) await nextTurn();
  return {
    ...{ path, pids, cwd: folder.path },
    [Symbol.asyncDispose]: async () => {
      for (const child of children) {
        const left = once(child, "exit");
        child.kill("SIGKILL");
        await left;
      }
      folder[Symbol.dispose]();
    },
  };
}

test("the only process in the folder of a conversation is the one that writes it", async () => {
  await using at = await openedBy({}, { cwd: "/" });
  expect(writersOf(at.path, at.cwd, ROWS)).toMatchObject({
    ...{ areOurs: false, areThere: true },
    process: { pid: at.pids[0] },
  });
});

test.each([
  ["works in the folder of the conversation, too", {}],
  ["may work in any folder", { cwd: "/", seconds: SERVER }],
])("no process is the one where another %s", async (_, other) => {
  await using at = await openedBy({}, other);
  expect(writersOf(at.path, at.cwd, ROWS)).toEqual({
    ...{ areOurs: false, areThere: true },
    process: undefined,
  });
});

test("a process that may work in any folder is the one where it is alone in this one", async () => {
  await using at = await openedBy({ seconds: SERVER });
  expect(writersOf(at.path, at.cwd, ROWS).process?.pid).toBe(at.pids[0]);
});

test("no process is the one of a conversation in another folder, or in none", async () => {
  await using at = await openedBy({});
  for (const cwd of ["/elsewhere", null])
    expect(writersOf(at.path, cwd, ROWS)).toMatchObject({ areThere: true, process: undefined });
});

test("a database that only processes of launches have open is ours", async () => {
  await using ours = await openedBy({ env: MARKED });
  const none = { areThere: false, process: undefined };
  expect(writersOf(ours.path, ours.cwd, ROWS)).toEqual({ areOurs: true, ...none });
  await using nobody = await openedBy();
  expect(writersOf(nobody.path, nobody.cwd, ROWS)).toEqual({ areOurs: false, ...none });
});

test("a process outside is found beside one of a launch", async () => {
  await using at = await openedBy({ env: MARKED }, {});
  expect(writersOf(at.path, at.cwd, ROWS)).toMatchObject({ areOurs: false, process: { pid: at.pids[1] } });
});
