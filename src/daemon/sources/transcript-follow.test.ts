import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionRow } from "../../domain/session/session.ts";
import { launched } from "../../testing/carried.ts";
import { T0 } from "../../testing/events.ts";
import { idle, pass } from "../../testing/session/fake-time.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import type { TestSession } from "../../testing/session/test-session.ts";
import { line, says, signal, transcriptPlace } from "../../testing/session/transcript-place.ts";
import { readAgentPaths } from "./agent-paths.ts";

const BEFORE = "2026-01-08T18:05:29.999Z";

test.each([
  [1, [], []],
  [2, ["assistant: old"], []],
])(
  "a line from before the launch in generation %i gives %j and no signal",
  async (generation, said, told) => {
    await using at = await transcriptPlace({ generation });
    writeFileSync(at.path, line({ at: BEFORE, ...says("old"), signal: signal("old") }));
    const { session, reader } = at.reader();
    await reader.catchUp();
    expect([await session.said(), session.signals]).toEqual([said, told]);
  },
);

test("a transcript that the agent begins anew is read to its end, and then the new one", async () => {
  await using at = await transcriptPlace();
  const next = join(at.folder, "next.jsonl");
  writeFileSync(at.path, line(says("one")));
  writeFileSync(next, line({ ...says("two"), signal: signal("a") }, { signal: signal("b") }));
  const { session, reader } = at.reader();
  reader.begin((await session.row()) as NonNullable<Awaited<ReturnType<TestSession["row"]>>>);
  await reader.catchUp();
  appendFileSync(at.path, line(says("last")));
  reader.follow(next);
  await at.parsed.through((text) => text === "last");
  await reader.catchUp();
  expect([reader.path, readAgentPaths(at.folder).transcript]).toEqual([next, next]);
  expect(new Set(at.parsed.all)).toEqual(new Set(["one", "last", "two", "b"]));
  expect(session.signals).toEqual(["working b"]);
});

test("the last signal of a transcript that the agent left is told then, and not with the new one", async () => {
  await using at = await transcriptPlace();
  const next = join(at.folder, "next.jsonl");
  writeFileSync(at.path, line(says("one")));
  const { session, reader } = at.reader();
  await reader.catchUp();
  appendFileSync(at.path, line({ signal: signal("over", "ready") }));
  reader.follow(next);
  await session.observed.first(1);
  writeFileSync(next, line(says("two")));
  await reader.catchUp();
  expect(session.signals).toEqual(["ready over"]);
});

test("a transcript that is followed already, or comes after the end, is not begun again", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("one")));
  const { reader } = at.reader();
  await reader.catchUp();
  reader.follow(at.path);
  await reader.catchUp();
  reader.stop();
  reader.follow(join(at.folder, "late"));
  expect([reader.path, at.parsed.all]).toEqual([at.path, ["one"]]);
  expect(readAgentPaths(at.folder).transcript).toBeNull();
});

test("a transcript is not yet there, there, or lost", async () => {
  await using at = await transcriptPlace();
  const { reader } = at.reader();
  expect(reader.status).toBe("not_yet");
  writeFileSync(at.path, "");
  expect(reader.status).toBe("there");
  renameSync(at.path, `${at.path}.old`);
  expect(reader.status).toBe("lost");
  const nameless = at.reader({ agentPaths: { transcript: null, transcripts: at.folder } });
  expect(nameless.reader.status).toBe("not_yet");
  expect(at.reader({ agentPaths: { transcript: null } }).reader.status).toBe("none");
});

test("the end of a turn is waited for up to a second", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, "");
  const { session, reader } = at.reader();
  await session.observe(launched());
  const read = new Recorder<boolean>();
  void reader.readTurn().then(read.add);
  await idle();
  await pass(900);
  expect(read.all).toEqual([]);
  appendFileSync(at.path, line({ isTurnRead: true }));
  await pass(20);
  expect(await read.first(1)).toEqual([true]);
});

test("the end of a turn that does not come within the time is given up", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, "");
  const { reader } = at.reader();
  const read = new Recorder<boolean>();
  void reader.readTurn(100).then(read.add);
  await idle();
  for (let step = 0; step < 6; step++) {
    await pass(20);
    await idle();
  }
  expect(await read.first(1)).toEqual([false]);
});

test("an agent whose transcript ends no turns is not waited for", async () => {
  await using at = await transcriptPlace({ mode: { capabilities: { endsTurnsInTranscript: false } } });
  writeFileSync(at.path, line(says("one")));
  const { session, reader } = at.reader();
  expect([await reader.readTurn(), await session.said()]).toEqual([true, ["assistant: one"]]);
});

test.each([
  ["after a turn is lost", 1, "lost"],
  ["before any turn is not yet there", 0, "not_yet"],
] as const)("a transcript that a daemon does not find %s", async (_, turns, status) => {
  await using at = await transcriptPlace();
  const { session, reader } = at.reader();
  reader.begin({ ...((await session.row()) as SessionRow), turns });
  expect(reader.status).toBe(status);
  const none = at.reader({ agentPaths: { transcript: null } });
  none.reader.begin({ ...((await session.row()) as SessionRow), turns });
  expect(none.reader.status).toBe("none");
});

test("a transcript is not begun after its reader was stopped", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("one")));
  const { session, reader } = at.reader();
  reader.stop();
  reader.begin((await session.row()) as SessionRow);
  await idle();
  expect(at.parsed.all).toEqual([]);
});

test("the end of a turn counts by its own time: one from before the turn is not the one to come", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line({ at: T0, isTurnRead: true }));
  const { reader } = at.reader();
  await pass(60_000);
  const read = new Recorder<boolean>();
  void reader.readTurn(100).then(read.add);
  for (let step = 0; step < 7; step++) {
    await idle();
    await pass(20);
  }
  expect(await read.first(1)).toEqual([false]);
});

test("an agent that has no transcript at all is not waited for", async () => {
  await using at = await transcriptPlace();
  const { reader } = at.reader({ agentPaths: { transcript: null } });
  expect(await reader.readTurn()).toBe(true);
});

test("an agent that names its transcript itself, and has not yet, is waited for", async () => {
  await using at = await transcriptPlace();
  const { reader } = at.reader({ agentPaths: { transcript: null, transcripts: at.folder } });
  const read = new Recorder<boolean>();
  void reader.readTurn(100).then(read.add);
  for (let step = 0; step < 7; step++) {
    await idle();
    await pass(20);
  }
  expect(await read.first(1)).toEqual([false]);
});
