import { appendFileSync, readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { atPrompt, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const LINES = 200;

test("a long transcript costs one write of the record file a second, and none when it is read again", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say hello");
  const { native_id } = await user.get(id);
  const transcript = join(user.state, "scripted", "sessions", `${String(native_id)}.jsonl`);
  const began = performance.now();
  using writes = countWrites(user, id);
  appendFileSync(transcript, Array.from({ length: LINES }, (_, n) => resultLine(n)).join(""));
  await until(() => messagesOf(user, id).length > LINES, "the record file to show all lines");
  const seconds = (performance.now() - began) / 1000;
  expect(writes.count).toBeLessThanOrEqual(seconds + 2);

  const session = await user.get(id);
  await until(() => seqOf(user, id) === session.seq, "the record file to show the last event");
  const { ino } = statSync(fileOf(user, id));
  await user.killDaemon();
  await user.ok(["up"]);
  // It reads what is in the transcript before it answers.
  await user.ok(["data", id]);
  expect(await user.get(id)).toMatchObject({ seq: session.seq, usage: session.usage as Shown });
  expect(statSync(fileOf(user, id)).ino).toBe(ino);
});

test("commands leave the record files of live sessions to the daemon", async () => {
  await using user = newLiveUser();
  const other = await user.create("--purpose", "something else");
  const script = "while :; do echo again; sleep 0.01; done";
  const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", script]);
  const daemon = await user.daemonPid();
  using writers = writersIn(user);
  for (const args of [["get", other], ["list"], ["should-resume", other]]) {
    await user.rollcall(args);
    await user.rollcall(args);
  }
  await until(() => writers.pids.size > 0, "the file of the session that talks to be written");
  expect([...writers.pids]).toEqual([String(daemon)]);
  await user.ok(["end", id, "--grace", "500ms"]);
});

test("the record file of a session that has ended shows its end", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say hello");
  await user.ok(["end", id]);
  const session = await user.get(id);
  const shown = () => JSON.parse(readFileSync(fileOf(user, id), "utf8")) as Shown;
  await until(() => shown().seq === session.seq, "the record file to show the end");
  expect(shown()).toMatchObject({ state: "stopped" });
});

function resultLine(n: number): string {
  const at = new Date().toISOString();
  const usage = [{ request_key: `r${n}`, time: at, input: 10, output: 5 }];
  const said = { type: "assistant", text: `line ${n}`, time: at };
  return `${JSON.stringify(said)}\n${JSON.stringify({ type: "result", turn: "good", usage, time: at })}\n`;
}

function fileOf(user: LiveUser, id: string): string {
  return join(user.workspace, ".rollcall", "sessions", `${id}.json`);
}

function messagesOf(user: LiveUser, id: string): readonly unknown[] {
  return recordOf(user, id).messages;
}

function seqOf(user: LiveUser, id: string): number {
  return recordOf(user, id).seq;
}

function recordOf(
  user: LiveUser,
  id: string,
): { readonly messages: readonly unknown[]; readonly seq: number } {
  return JSON.parse(readFileSync(fileOf(user, id), "utf8"));
}

/** Each write ends with a rename. */
function countWrites(user: LiveUser, id: string): Disposable & { readonly count: number } {
  let count = 0;
  const watcher = watch(join(fileOf(user, id), ".."), (kind, name) => {
    if (kind === "rename" && name === `${id}.json`) count++;
  });
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]: () => watcher.close(),
  };
}

/** The pids that stand in the names of files that are being written. */
function writersIn(user: LiveUser): Disposable & { readonly pids: ReadonlySet<string> } {
  const pids = new Set<string>();
  const watcher = watch(join(user.workspace, ".rollcall", "sessions"), (_, name) => {
    const pid = /\.partial-(\d+)-/.exec(name ?? "")?.[1];
    if (pid !== undefined) pids.add(pid);
  });
  return { pids, [Symbol.dispose]: () => watcher.close() };
}
