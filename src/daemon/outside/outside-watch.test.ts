import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identifyProcess } from "../../machine/process.ts";
import { LAUNCH } from "../../testing/carried.ts";
import { created, newEvent, seen } from "../../testing/events.ts";
import { livingProcess, markedProcess } from "../../testing/living-process.ts";
import { idle, pass } from "../../testing/session/fake-time.ts";
import { NATIVE_ID, prompt, tell, watchPlace, writerOf } from "../../testing/session/outside-watch-place.ts";

const MARKER = "b".repeat(32);

test("a transcript that grows is a session outside, though no process shows", async () => {
  await using at = await watchPlace();
  const watch = await at.begin();
  prompt(at.transcript, "hello");
  const row = await at.row(({ turn }) => turn !== null);
  expect(row).toMatchObject({ origin: "observed", agentType: "claude", nativeId: NATIVE_ID, process: null });
  expect(watch.followed).toEqual([NATIVE_ID, at.transcript]);
});

test("the process that has a transcript open is the process of its session", async () => {
  await using at = await watchPlace();
  await at.begin();
  await using writer = await writerOf(at.transcript);
  prompt(at.transcript, "hello");
  await at.row(({ process }) => process?.pid === writer.pid);
});

test("a transcript that a process has open when the daemon comes is followed without a change of it", async () => {
  await using at = await watchPlace();
  prompt(at.transcript, "hello");
  await using writer = await writerOf(at.transcript);
  await at.begin();
  await at.row(({ process, turn }) => process?.pid === writer.pid && turn !== null);
});

test("a transcript that nobody has open is left to the importer where that follows it", async () => {
  await using at = await watchPlace({ isImported: true });
  const watch = await at.begin();
  prompt(at.transcript, "hello");
  await at.imported.through((each) => each === "look");
  await watch.settled();
  expect(await at.rows()).toEqual([]);
});

test("a transcript that a process has open is followed live, though the importer follows it too", async () => {
  await using at = await watchPlace({ isImported: true });
  await at.begin();
  await using writer = await writerOf(at.transcript);
  prompt(at.transcript, "hello");
  await at.row(({ process }) => process?.pid === writer.pid);
  expect(at.imported.all).toEqual([]);
});

test.each([
  ["path", (path: string) => path],
  ["native id", () => NATIVE_ID],
])(
  "a transcript of a session that Rollcall carries, known by its %s, is no session outside",
  async (_, clue) => {
    await using at = await watchPlace();
    const watch = await at.begin();
    at.carried.add(clue(at.transcript));
    prompt(at.transcript, "hello");
    await using writer = await writerOf(at.transcript);
    prompt(at.transcript, "again");
    tell(at.liveFile(writer.pid), writer.pid, { sessionId: "another", status: "busy" });
    // The live file was written last, and is dealt with.
    await at.row(({ nativeId }) => nativeId === "another");
    await watch.settled();
    expect((await at.rows()).map(({ nativeId }) => nativeId)).toEqual(["another"]);
  },
);

test("a transcript that a process with the marker of a launch has open is no session outside", async () => {
  await using at = await watchPlace();
  await using _ = await writerOf(at.transcript, { ...process.env, ROLLCALL_SESSION: MARKER });
  prompt(at.transcript, "hello");
  const watch = await at.begin();
  await watch.settled();
  expect(await at.rows()).toEqual([]);
});

test("a live file names the session and its process, with what it does", async () => {
  await using at = await watchPlace();
  await using agent = livingProcess();
  await at.begin();
  tell(at.liveFile(agent.pid), agent.pid, { status: "busy" });
  const row = await at.row(({ state, process }) => state === "running" && process !== null);
  expect(row).toMatchObject({ nativeId: NATIVE_ID, process: { pid: agent.pid } });
});

test("a live file that is there when the daemon comes is read, with the transcript of its session", async () => {
  await using at = await watchPlace();
  await using agent = livingProcess();
  prompt(at.transcript, "hello");
  tell(at.liveFile(agent.pid), agent.pid);
  await at.begin();
  expect(await at.row(({ turn }) => turn !== null)).toMatchObject({ process: { pid: agent.pid } });
});

test("a live file of a process with the marker of a launch is no session outside", async () => {
  await using at = await watchPlace();
  await using agent = await markedProcess(MARKER);
  tell(at.liveFile(agent.pid), agent.pid);
  const watch = await at.begin();
  await watch.settled();
  expect(await at.rows()).toEqual([]);
});

test("a session outside whose process is gone is lost at the next look, and the importer looks after it", async () => {
  await using at = await watchPlace();
  await using agent = livingProcess();
  const watch = await at.begin();
  tell(at.liveFile(agent.pid), agent.pid);
  await at.row(({ process }) => process !== null);
  await watch.settled();
  await agent.kill();
  await pass(4999);
  await watch.settled();
  expect(watch.followed).not.toEqual([]);
  await pass(1);
  await watch.settled();
  expect(await at.rows()).toMatchObject([{ state: "unknown", endReason: "no_process" }]);
  expect(watch.followed).toEqual([]);
  expect(at.imported.all).toEqual(["look"]);
});

test("a session outside that takes its live file away has ended half a second later", async () => {
  await using at = await watchPlace();
  await using agent = livingProcess();
  const watch = await at.begin();
  tell(at.liveFile(agent.pid), agent.pid);
  await at.row(({ process }) => process !== null);
  await agent.kill();
  rmSync(at.liveFile(agent.pid));
  const ended = at.row(({ state }) => state === "stopped");
  while (watch.followed.length > 0) {
    await idle();
    await pass(100);
  }
  expect(performance.now()).toBeLessThan(5000);
  await ended;
});

test("a session outside without a process is lost after a minute without a word", async () => {
  await using at = await watchPlace();
  const watch = await at.begin();
  prompt(at.transcript, "hello");
  await at.row(({ turn }) => turn !== null);
  await watch.settled();
  await pass(60_000);
  await watch.settled();
  expect(watch.followed).toEqual([NATIVE_ID, at.transcript]);
  await pass(5000);
  await watch.settled();
  expect(watch.followed).toEqual([]);
  await at.row(({ turn }) => turn?.state === "done");
});

test("a session outside whose process lives may be silent for hours", async () => {
  await using at = await watchPlace();
  await using agent = livingProcess();
  const watch = await at.begin();
  tell(at.liveFile(agent.pid), agent.pid);
  await at.row(({ process }) => process !== null);
  await pass(3_600_000);
  await watch.settled();
  expect(watch.followed).toEqual([NATIVE_ID, NATIVE_ID]);
});

test("a session outside that Rollcall carries from now on is followed no more", async () => {
  await using at = await watchPlace();
  const watch = await at.begin();
  prompt(at.transcript, "hello");
  await at.row(({ turn }) => turn !== null);
  at.carried.add(NATIVE_ID);
  await pass(5000);
  expect(watch.followed).toEqual([]);
  await watch.settled();
  expect(await at.rows()).toMatchObject([{ turn: { state: "running" } }]);
});

test("a daemon that comes back goes on with the sessions outside of the one before, and ends those that left", async () => {
  await using at = await watchPlace();
  await using agent = livingProcess();
  const first = await at.begin();
  tell(at.liveFile(agent.pid), agent.pid);
  await at.row(({ process }) => process !== null);
  await first.end();
  const second = await at.begin();
  expect(second.followed).toContain(NATIVE_ID);
  await second.end();
  await agent.kill();
  const third = await at.begin();
  await third.settled();
  expect(third.followed).toEqual([]);
  expect(await at.rows()).toMatchObject([{ state: "unknown" }]);
});

test.each([
  ["observed", "that it knew", null, true],
  ["imported", "whose process lives", identifyProcess(process.pid), true],
  ["imported", "without a process, which is the importer's", null, false],
  ["created", "of another way", identifyProcess(process.pid), false],
] as const)(
  "a daemon that comes back follows a live %s session %s: %#",
  async (origin, _, process, isFollowed) => {
    await using at = await watchPlace();
    const identity = { agentType: "claude", nativeId: NATIVE_ID } as const;
    await at.context.store.change("s", () => [newEvent(created({ origin, process, identity }))]);
    const watch = await at.begin();
    expect(watch.followed).toEqual(isFollowed ? [NATIVE_ID, NATIVE_ID] : []);
  },
);

test("the transcript of a session that ended here is a session outside only once somebody writes to it again", async () => {
  await using at = await watchPlace();
  const identity = { agentType: "claude", nativeId: NATIVE_ID } as const;
  const bodies = [created({ origin: "started", identity }), seen("stopped")];
  await at.context.store.change("s", () => bodies.map((body) => newEvent(body)));
  const watch = await at.begin();
  prompt(at.transcript, "hello");
  const endedMs = Date.parse((await at.row(({ endedAt }) => endedAt !== null)).endedAt ?? "");
  utimesSync(at.transcript, endedMs / 1000, endedMs / 1000);
  expect(Math.floor(statSync(at.transcript).mtimeMs)).toBe(endedMs);
  await at.imported.first(1);
  await watch.settled();
  expect(await at.rows()).toHaveLength(1);
  utimesSync(at.transcript, endedMs / 1000 + 1, endedMs / 1000 + 1);
  while ((await at.rows()).length < 2) await idle();
});

test("the transcript of a session that Rollcall has just started is no session outside", async () => {
  await using at = await watchPlace();
  const identity = { agentType: "claude", nativeId: NATIVE_ID } as const;
  const body = created({ origin: "started", state: "starting", launch: LAUNCH, identity });
  await at.context.store.change("s", () => [newEvent(body)]);
  const watch = await at.begin();
  prompt(at.transcript, "hello");
  await at.imported.first(1);
  await watch.settled();
  expect(await at.rows()).toHaveLength(1);
});

test("a hook of a session outside makes it known, with the transcript that it names", async () => {
  await using at = await watchPlace();
  prompt(at.transcript, "hello");
  const watch = await at.begin();
  const payload = { session_id: NATIVE_ID, transcript_path: at.transcript, cwd: "/w" };
  await watch.sawHook("UserPromptSubmit", payload);
  expect(await at.row(({ turn }) => turn !== null)).toMatchObject({ nativeId: NATIVE_ID });
  at.carried.add("another");
  await watch.sawHook("UserPromptSubmit", { ...payload, session_id: "another" });
  expect(await at.rows()).toHaveLength(1);
});

test.each([
  ["that its agent names beside it", true],
  ["that nothing names, and not in that of the daemon", false],
])("a conversation outside is in the folder %s", async (_, isNamed) => {
  await using at = await watchPlace();
  const project = join(at.world.home, "..", ".gemini", "tmp", "project");
  mkdirSync(join(project, "chats"), { recursive: true });
  if (isNamed) writeFileSync(join(project, ".project_root"), "/w");
  await at.begin();
  const said = { id: "u", timestamp: "2026-01-01T00:00:01.000Z", type: "user", content: "hello" };
  const lines = [{ sessionId: NATIVE_ID, kind: "main" }, said].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(project, "chats", "session-2026-01-01T00-00-5d1f2b1e.jsonl"), lines.join(""));
  const row = await at.row(({ turn }) => turn !== null);
  expect(row).toMatchObject({ agentType: "gemini", workspacePath: isNamed ? "/w" : null, gitBranch: null });
});

test("nothing is looked for with observe.outside off", async () => {
  await using at = await watchPlace({ isOn: false });
  await using agent = livingProcess();
  const watch = await at.begin();
  tell(at.liveFile(agent.pid), agent.pid);
  prompt(at.transcript, "hello");
  await watch.sawHook("Stop", { session_id: NATIVE_ID, transcript_path: at.transcript, cwd: "/w" });
  await pass(60_000);
  await idle();
  await watch.settled();
  expect(await at.rows()).toEqual([]);
});
