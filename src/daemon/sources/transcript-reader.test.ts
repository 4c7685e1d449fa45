import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Parsed } from "../../agents/parsed.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { launched } from "../../testing/carried.ts";
import { request, T0 } from "../../testing/events.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import type { GivenFacts } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { sessionPlace, type TestSession } from "../../testing/session/test-session.ts";
import { readAgentPaths } from "./agent-paths.ts";
import { TranscriptReader } from "./transcript-reader.ts";

useFakeTime();

/** A transcript whose lines are what a parser finds in them. */
async function transcriptPlace(given: Omit<GivenFacts, "folder"> = {}) {
  const parsed = new Recorder<string>();
  const parse = (line: string) => {
    const found = JSON.parse(line) as Parsed;
    parsed.add(textOf(found));
    return found;
  };
  const place = await sessionPlace({
    ...given,
    launch: { at: T0, ...given.launch },
    mode: {
      trust: ["transcript"],
      ...given.mode,
      capabilities: { tellsTurns: true, endsTurnsInTranscript: true, ...given.mode?.capabilities },
      sources: { transcript: { parse } },
    },
  });
  const path = join(place.folder, "transcript.jsonl");
  const readers: TranscriptReader[] = [];
  return {
    path,
    parsed,
    context: place.context,
    folder: place.folder,
    /** A daemon that follows the session, and reads its transcript from now on. */
    reader: (more: Omit<GivenFacts, "folder"> = {}) => {
      const session = place.daemon({ ...more, agentPaths: { transcript: path, ...more.agentPaths } });
      const reader = new TranscriptReader(session);
      readers.push(reader);
      return { session, reader };
    },
    [Symbol.asyncDispose]: async () => {
      for (const reader of readers) reader.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

function textOf({ entries, signal }: Parsed): string {
  return entries?.[0]?.text ?? signal?.rule ?? "";
}

const line = (...all: readonly Parsed[]) => all.map((each) => `${JSON.stringify(each)}\n`).join("");
const says = (text: string, role: "user" | "assistant" = "assistant"): Parsed => ({
  entries: [{ role, kind: "text", text, tool: null }],
});
const signal = (rule: string, says: "working" | "ready" = "working"): Signal => ({
  source: "transcript",
  rule,
  excerpt: null,
  says,
});

test("a second reader goes on from the cursor and parses no earlier line again", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("one"), says("two")));
  const first = at.reader();
  await first.reader.catchUp();
  first.reader.stop();
  appendFileSync(at.path, line(says("three")));
  const second = at.reader();
  await second.reader.catchUp();
  expect(at.parsed.all).toEqual(["one", "two", "three"]);
  expect(await second.session.said()).toEqual(["assistant: one", "assistant: two", "assistant: three"]);
});

test("a cursor moves with every line that is read after the file was caught up with", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("one")));
  const first = at.reader();
  await first.reader.catchUp();
  appendFileSync(at.path, line(says("two"), says("three")));
  await first.reader.catchUp();
  first.reader.stop();
  const second = at.reader();
  await second.reader.catchUp();
  // The cursor stands before the last line: what followed from it may not be done.
  expect(at.parsed.all).toEqual(["one", "two", "three", "three"]);
  expect(await second.session.said()).toEqual(["assistant: one", "assistant: two", "assistant: three"]);
});

test("a reader that is killed at any moment loses nothing and doubles nothing", async () => {
  await using at = await transcriptPlace();
  const lines = [1, 2, 3, 4].map((each) => ({ ...says(`line ${each}`), usage: [request(`r${each}`)] }));
  for (const [index, each] of lines.entries()) {
    appendFileSync(at.path, line(each));
    const { session, reader } = at.reader();
    const killed = index % 2 === 0 ? "before its commit" : "behind its commit";
    const { store } = session.context;
    const change: typeof store.change = async (...args) => {
      if (killed === "behind its commit") await store.change(...args);
      throw new Error(`killed ${killed}`);
    };
    const failing = Object.assign(Object.create(store) as typeof store, { change });
    Object.assign(session, { context: { ...session.context, store: failing } });
    await reader.catchUp();
    reader.stop();
  }
  const last = at.reader();
  await last.reader.catchUp();
  expect(await last.session.said()).toEqual(lines.map((each) => `assistant: ${textOf(each)}`));
  expect(await at.context.store.usageOf("s")).toHaveLength(4);
});

test("the signal of a line is told by the next reader where the first was killed behind its commit", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("one")));
  const first = at.reader();
  await first.reader.catchUp();
  first.session.observe = () => Promise.reject(new Error("killed"));
  appendFileSync(at.path, line({ ...says("two"), signal: signal("begun") }));
  await first.reader.catchUp();
  first.reader.stop();
  expect(await first.session.said()).toEqual(["assistant: one", "assistant: two"]);
  const second = at.reader();
  await second.reader.catchUp();
  expect(second.session.signals).toEqual(["working begun"]);
  expect(await second.session.said()).toEqual(["assistant: one", "assistant: two"]);
});

test("a signal that could not be told when the file was caught up with is told by the next reader", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line({ ...says("one"), signal: signal("begun") }, says("two")));
  const first = at.reader();
  first.session.observe = () => Promise.reject(new Error("killed"));
  await first.reader.catchUp();
  first.reader.stop();
  const second = at.reader();
  await second.reader.catchUp();
  expect(second.session.signals).toEqual(["working begun"]);
});

test("a signal that could not be told when the file was caught up with is told again two seconds later", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line({ ...says("one"), signal: signal("begun") }));
  const { session, reader } = at.reader();
  const { observe } = session;
  session.observe = () => Promise.reject(new Error("the disk is full"));
  await reader.catchUp();
  session.observe = observe;
  await pass(2000);
  await session.observed.first(1);
  appendFileSync(at.path, line({ signal: signal("next") }));
  await reader.catchUp();
  expect(session.signals).toEqual(["working begun", "working next"]);
});

test("a transcript that was replaced is read from the beginning", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("one"), says("two")));
  const first = at.reader();
  await first.reader.catchUp();
  first.reader.stop();
  writeFileSync(`${at.path}.new`, line(says("another one"), says("another two")));
  renameSync(`${at.path}.new`, at.path);
  await at.reader().reader.catchUp();
  expect(at.parsed.all).toEqual(["one", "two", "another one", "another two"]);
});

test("only the last signal of a transcript counts until it is caught up with, and then each", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line({ signal: signal("a") }, { signal: signal("b") }, says("said")));
  const { session, reader } = at.reader();
  await reader.catchUp();
  expect(session.signals).toEqual(["working b"]);
  appendFileSync(at.path, line({ signal: signal("c") }, { signal: signal("d") }));
  await reader.catchUp();
  expect(session.signals).toEqual(["working b", "working c", "working d"]);
});

test("a text of the user behind the last signal takes that signal's meaning away", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line({ signal: signal("over", "ready") }, says("go on", "user")));
  const { session, reader } = at.reader();
  await reader.catchUp();
  expect(session.signals).toEqual([]);
});

test("a text of the user between turns begins a turn, and one in a turn does not", async () => {
  await using at = await transcriptPlace();
  const { session, reader } = at.reader();
  writeFileSync(at.path, line(says("a", "user"), { isTurnRead: true }, says("b", "user"), says("c", "user")));
  await reader.catchUp();
  const events = await session.context.store.events("s");
  const opened = events.flatMap(({ body }) =>
    body.kind === "entry_added" ? [`${body.entry.text} ${body.opensTurn === true}`] : [],
  );
  expect(opened).toEqual(["a false", "b true", "c false"]);
});

test("a reader that comes back knows that the last turn is over", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("a", "user"), { isTurnRead: true }));
  const first = at.reader();
  await first.reader.catchUp();
  first.reader.stop();
  appendFileSync(at.path, line(says("b", "user")));
  await at.reader().reader.catchUp();
  const events = await at.context.store.events("s");
  expect(events.at(-1)?.body).toMatchObject({ kind: "entry_added", opensTurn: true });
});

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
