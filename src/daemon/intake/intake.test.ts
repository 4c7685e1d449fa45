import { expect, test, vi } from "vitest";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import { request } from "../../testing/events.ts";
import { idle, pass } from "../../testing/session/fake-time.ts";
import { intakePlace, READY, says, WORKING } from "../../testing/session/intake-place.ts";

test("identity, entries and usage of a piece are in the record before its signal is decided", async () => {
  await using at = await intakePlace();
  const { observe } = at.session;
  const seen: string[] = [];
  at.session.observe = async (...args) => {
    seen.push(...(await at.events()).slice(-3));
    return observe.apply(at.session, args);
  };
  await at.intake.take({
    ...says("one"),
    identity: { model: "m" },
    usage: [request("r")],
    signal: WORKING,
  });
  expect(seen).toEqual(["identified", "entry_added", "usage_changed"]);
  expect((await at.session.row())?.state).toBe("running");
  expect(at.session.activity.current?.text).toBe("one");
});

test.each([
  [{ turn: { isBegun: true } } as const, undefined, true],
  [{}, { key: "out-1", opensTurn: true }, true],
  [{ turn: { over: { result: "good", why: null } } } as const, { key: "out-1" }, undefined],
])("a text opens a turn where its piece or its place says so: %o %o", async (mark, place, opensTurn) => {
  await using at = await intakePlace();
  const entries = [{ role: "user", kind: "text", text: "hi", tool: null }] as const;
  await at.intake.take({ entries, ...mark }, place);
  const body = (await at.place.context.store.events("s")).at(-1)?.body;
  expect(body).toMatchObject({ kind: "entry_added" });
  expect(body?.kind === "entry_added" && body.opensTurn).toBe(opensTurn);
});

test("of a piece that belongs to a child nothing but its memory counts", async () => {
  await using at = await intakePlace();
  const before = await at.events();
  const heard: string[] = [];
  using _ = at.intake.onTaken((text) => heard.push(text));
  await at.intake.take({
    ...says("one"),
    child: { nativeId: "c" },
    memory: { children: 1 },
    identity: { nativeId: "c" },
    usage: [request("r")],
    signal: WORKING,
    taken: ["hello"],
    transcript: "/another",
    reply: { via: "lines", lines: ["no"] },
  });
  expect([at.session.memory.all, heard, at.session.signals]).toEqual([{ children: 1 }, [], []]);
  expect([await at.events(), at.session.delivered.all]).toEqual([before, []]);
  expect(at.session.asked.all).toEqual(["look for sub-agents"]);
});

test("a piece that is read twice is added once, and one without a place each time", async () => {
  await using at = await intakePlace();
  await at.intake.take(says("one"), { key: "out-1" });
  await at.intake.take(says("one"), { key: "out-1" });
  await at.intake.take(says("two"), { key: "out-1", of: "another" });
  await at.intake.take(says("three"));
  await at.intake.take(says("three"));
  expect(await at.session.said()).toEqual(
    ["one", "two", "three", "three"].map((text) => `assistant: ${text}`),
  );
});

test("a piece that says nothing for the record does not ask the store", async () => {
  await using at = await intakePlace();
  const { store } = at.session.context;
  const { change } = store;
  const changes: string[] = [];
  store.change = async (...args: Parameters<typeof change>) => {
    changes.push(args[0]);
    return change.apply(store, args);
  };
  await at.intake.take({ memory: { seen: true } });
  expect(changes).toEqual([]);
  await at.intake.take(says("one"));
  expect(changes).toEqual(["s"]);
});

test("prices are asked for with a request, and with nothing else", async () => {
  await using at = await intakePlace();
  const asked: string[] = [];
  at.session.pricing.now = async () => {
    asked.push("prices");
    return (each) => ({ ...each, reportedNanoUsd: null, computedNanoUsd: 3_000_000_000 });
  };
  await at.intake.take(says("one"));
  expect(asked).toEqual([]);
  await at.intake.take({ usage: [request("r")] });
  const body = (await at.place.context.store.events("s")).at(-1)?.body;
  expect([asked, body]).toMatchObject([["prices"], { kind: "usage_changed", usage: { costUsd: 3 } }]);
});

test("secrets of the launch are hidden in what is taken in", async () => {
  await using at = await intakePlace({ secrets: ["hunter2hunter2"] });
  await at.intake.take(says("the password is hunter2hunter2"));
  expect((await at.session.said())[0]).not.toContain("hunter2");
  expect(at.session.activity.current?.text).not.toContain("hunter2");
});

test("a piece that awaits a hook is parsed again when one has come", async () => {
  await using at = await intakePlace();
  const parse = vi.fn((): Parsed => ({ awaits: "hook", ...says("again") }));
  const done = at.intake.parsed(parse);
  await pass(499);
  await idle();
  expect(parse).toHaveBeenCalledTimes(1);
  at.intake.sawHook();
  await done;
  expect([parse.mock.calls.length, await at.session.said()]).toEqual([2, ["assistant: again"]]);
});

test("a piece that awaits a hook is parsed again after half a second without one", async () => {
  await using at = await intakePlace();
  at.intake.sawHook();
  const parse = vi.fn((): Parsed => ({ awaits: "hook", memory: { seen: true } }));
  const done = at.intake.parsed(parse);
  await pass(499);
  await idle();
  expect(parse).toHaveBeenCalledTimes(1);
  await pass(1);
  await done;
  expect(parse).toHaveBeenCalledTimes(2);
  expect(parse).toHaveBeenLastCalledWith({});
});

test("a piece that awaits the transcript is parsed again when what is there of it is read", async () => {
  await using at = await intakePlace();
  const { catchUp } = at.session.sources;
  at.session.sources.catchUp = async () => {
    await catchUp.call(at.session.sources);
    at.session.memory.merge({ read: true });
  };
  const parse = vi.fn(
    (memory: Memory): Parsed => ({ awaits: "transcript", ...says(`read: ${memory.read}`) }),
  );
  await at.intake.parsed(parse);
  expect([parse.mock.calls.length, await at.session.said()]).toEqual([2, ["assistant: read: true"]]);
});

test("a piece that awaits nothing is parsed once, with what is remembered", async () => {
  await using at = await intakePlace();
  await at.intake.take({ memory: { seen: true } });
  const parse = vi.fn(() => says("one"));
  await at.intake.parsed(parse);
  expect(parse.mock.calls).toEqual([[{ seen: true }]]);
});

test("the end of the turn is read before the signal of a piece that awaits it", async () => {
  await using at = await intakePlace();
  const steps: string[] = [];
  at.session.transcript.readTurn = async () => {
    steps.push(`read turn with ${at.session.signals.length} signals`);
    return true;
  };
  await at.intake.take({ awaits: "turn", signal: READY });
  expect([steps, at.session.signals]).toEqual([["read turn with 0 signals"], ["ready report"]]);
  await at.intake.take({ signal: READY });
  expect(steps).toHaveLength(1);
});

test.each([
  ["rests", READY, ["catch up"]],
  ["works", WORKING, ["find transcript"]],
  ["rests by its transcript", { ...READY, source: "transcript" }, []],
] as const)(
  "a signal that the agent %s asks the right thing of the other parts",
  async (_, signal, asked) => {
    await using at = await intakePlace();
    await at.intake.signal(signal);
    expect(at.session.asked.all).toEqual(asked);
  },
);

test("a signal that has to settle counts after its time, and once however often it is said", async () => {
  await using at = await intakePlace();
  await at.intake.signal({ ...WORKING, settleMs: 300 });
  await pass(200);
  await at.intake.signal({ ...WORKING, settleMs: 300 });
  await pass(99);
  expect(at.session.signals).toEqual([]);
  await pass(1);
  await at.session.committed.first(2);
  expect(at.session.signals).toEqual(["working report"]);
});

test("a signal that has to settle counts at once when another part confirms it", async () => {
  await using at = await intakePlace();
  await at.intake.signal({ ...WORKING, settleMs: 300 });
  await at.intake.settle();
  await at.intake.settle();
  expect([at.session.signals, vi.getTimerCount()]).toEqual([["working report"], 0]);
});

test.each([
  ["work before more work", WORKING, { ...WORKING, rule: "next" }, ["working report", "working next"]],
  ["work before a rest", WORKING, { ...READY, rule: "next" }, ["ready next"]],
  ["a rest before work", READY, { ...WORKING, rule: "next" }, ["working next"]],
] as const)("a signal that has not settled and is followed by another: %s", async (_, held, next, told) => {
  await using at = await intakePlace();
  await at.intake.signal({ ...held, settleMs: 300 });
  await at.intake.signal(next);
  await pass(1000);
  expect(at.session.signals).toEqual(told);
});

test("a signal that has not settled is not told after the session was let go", async () => {
  await using at = await intakePlace();
  await at.intake.signal({ ...WORKING, settleMs: 300 });
  at.intake.stop();
  await pass(1000);
  expect(at.session.signals).toEqual([]);
});

test("the last signal of each source is known with its time", async () => {
  await using at = await intakePlace();
  await at.intake.signal(WORKING);
  await pass(1000);
  await at.intake.signal(READY);
  const last = { signal: READY, at: new Date().toISOString() };
  expect([...at.intake.lastWords]).toEqual([["terminal", last]]);
});

test("a text that the agent shows to have is told to whoever waits, until they go", async () => {
  await using at = await intakePlace();
  const heard: string[] = [];
  const waiting = at.intake.onTaken((text) => heard.push(text));
  expect(at.intake.isAwaited).toBe(true);
  await at.intake.take({ taken: ["hello"] });
  waiting[Symbol.dispose]();
  await at.intake.take({ taken: ["again"] });
  expect([heard, at.intake.isAwaited]).toEqual([["hello"], false]);
});

test("a protocol is answered, and a transcript that is named is followed", async () => {
  await using at = await intakePlace();
  await at.intake.take({ reply: { via: "lines", lines: ["ok"] }, transcript: "/next" });
  expect(at.session.delivered.all).toEqual([{ via: "lines", lines: ["ok"] }]);
  expect(at.session.asked.all).toEqual(["follow /next", "look for sub-agents"]);
});

test("an answer that an agent needs no more keeps nothing from being taken in", async () => {
  await using at = await intakePlace();
  at.session.delivery.deliver = () => Promise.reject(new Error("gone"));
  await at.intake.take({ ...says("one"), reply: { via: "lines", lines: ["ok"] } });
  expect(await at.session.said()).toEqual(["assistant: one"]);
});

test("a notice is told once for each key", async () => {
  await using at = await intakePlace();
  for (const key of ["a", "a", "b"]) await at.intake.notice(key, `about ${key}`);
  expect(await at.session.said()).toEqual(["system: about a", "system: about b"]);
});

test.each([
  ["1.0", "2.0", 1],
  ["2.0", "2.0", 0],
  [null, "2.0", 0],
])(
  "an agent tested with %s that says to be %s gets %i notices",
  async (testedVersion, agentVersion, count) => {
    await using at = await intakePlace({ agent: { testedVersion } });
    await at.intake.take({ identity: { agentVersion } });
    await at.intake.take({ identity: { agentVersion } });
    expect(await at.session.said()).toHaveLength(count);
  },
);

test("of the last word of a source the beginning is kept, however long it is", async () => {
  await using at = await intakePlace();
  await at.intake.signal({ ...WORKING, excerpt: "x".repeat(1_000_000) });
  expect(at.intake.lastWords.get("terminal")?.signal.excerpt).toBe(`${"x".repeat(4096)}…`);
});
