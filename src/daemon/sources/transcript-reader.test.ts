import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { request } from "../../testing/events.ts";
import { pass } from "../../testing/session/fake-time.ts";
import { line, says, signal, textOf, transcriptPlace } from "../../testing/session/transcript-place.ts";

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

test("a line of a replaced transcript that ends where another one ended is in the record", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line({ ...says("one"), at: "2026-01-08T18:00:01.000Z" }));
  const { session, reader } = at.reader({ launch: { at: "2026-01-08T18:00:00.000Z" } });
  await reader.catchUp();
  writeFileSync(`${at.path}.new`, line({ ...says("two"), at: "2026-01-08T18:00:02.000Z" }));
  renameSync(`${at.path}.new`, at.path);
  await reader.catchUp();
  expect(await session.said()).toEqual(["assistant: one", "assistant: two"]);
});

test("a transcript that is written anew with the same lines and more adds only those", async () => {
  await using at = await transcriptPlace();
  const one = line({ ...says("one"), at: "2026-01-08T18:00:01.000Z" });
  writeFileSync(at.path, one);
  const { session, reader } = at.reader({ launch: { at: "2026-01-08T18:00:00.000Z" } });
  await reader.catchUp();
  writeFileSync(`${at.path}.new`, `${one}${line(says("two"))}`);
  renameSync(`${at.path}.new`, at.path);
  await reader.catchUp();
  expect(await session.said()).toEqual(["assistant: one", "assistant: two"]);
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

test("a turn that is taken back is rewound to its first entry, also by a reader that comes back", async () => {
  await using at = await transcriptPlace();
  const turn = { isBegun: true } as const;
  const turns = [{ ...says("a", "user"), turn }, says("b"), { ...says("c", "user"), turn }, says("d")];
  writeFileSync(at.path, line(...turns));
  const first = at.reader();
  await first.reader.catchUp();
  first.reader.stop();
  appendFileSync(at.path, line({ rewinds: 1, ...says("e", "user"), turn }));
  await at.reader().reader.catchUp();
  const events = await at.context.store.events("s");
  const rewound = events.filter(({ body }) => body.kind === "rewound");
  const taken = events.find(({ body }) => body.kind === "entry_added" && body.entry.text === "c");
  expect(rewound.map(({ body }) => body)).toMatchObject([{ since: taken?.id, fromSeq: taken?.seq }]);
});

test("a transcript without a rewind has none in the record", async () => {
  await using at = await transcriptPlace();
  writeFileSync(at.path, line(says("a", "user"), { isTurnRead: true }, says("b", "user")));
  await at.reader().reader.catchUp();
  const events = await at.context.store.events("s");
  expect(events.filter(({ body }) => body.kind === "rewound")).toEqual([]);
});
