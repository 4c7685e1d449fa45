import { appendFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { expect, test } from "vitest";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { Subagents } from "../../agents/subagents.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { createSession } from "../../record/create.ts";
import { happened, newEvent, request } from "../../testing/events.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { FileTail } from "../tails/file-tail.ts";
import { SubagentReader } from "./subagent-reader.ts";
import { recordOfSubagent } from "./subagent-record.ts";

useFakeTime();

const PRICE = 7_000_000;

const BEGIN: Parsed = {
  turn: { isBegun: true },
  entries: [{ role: "user", kind: "text", text: "do it", tool: null }],
};
const DONE: Parsed = { turn: { over: { result: "good", why: null } } };
const says = (text: string): Parsed => ({
  entries: [{ role: "assistant", kind: "text", text, tool: null }],
});

/** A sub-agent at work whose lines are what a parser finds in them; daemons that read them come and go. */
async function readerPlace() {
  const world = tempWorld();
  const rollcall = await world.open();
  const { context } = rollcall;
  const path = join(world.home, "agent.jsonl");
  const parentId = await createSession(context, { agentType: "claude" });
  const id = (await recordOfSubagent(context, parentId, { nativeId: "n" })) as string;
  const activity = new Recorder<string | undefined>();
  const note = async (_: string, noted: { activity?: { text: string } | null }) =>
    activity.add(noted.activity?.text);
  const price = (entry: UsageEntry) => ({ ...entry, reportedNanoUsd: null, computedNanoUsd: PRICE });
  const ports = {
    ...{ context, log: pino({ enabled: false }), redact: context.redact },
    observations: { msToTick: 0, note } as never,
    pricing: { now: async () => price } as never,
  };
  const facts: Pick<Subagents, "memory" | "parse"> = {
    memory: {},
    parse: (line: string, _: Memory) => JSON.parse(line) as Parsed,
  };
  const readers: SubagentReader[] = [];
  return {
    ...{ id, path, context, activity },
    daemon: () => {
      const tail = (reader: ConstructorParameters<typeof FileTail>[1]) => new FileTail(path, reader);
      const reader = new SubagentReader(ports, { id, path, facts: facts as Subagents, tail });
      readers.push(reader);
      return reader;
    },
    write: (...lines: readonly Parsed[]) => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      appendFileSync(path, text);
      return Buffer.byteLength(text);
    },
    row: async () => (await context.store.findRow(id)) ?? null,
    kinds: async () => (await context.store.events(id)).map(({ body }) => body.kind),
    [Symbol.asyncDispose]: async () => {
      for (const reader of readers) reader.stop();
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}

test("the identity that a line of a sub-agent tells by itself is recorded", async () => {
  await using at = await readerPlace();
  at.write({ identity: { model: "model-b" } });
  await at.daemon().catchUp();
  expect(await at.row()).toMatchObject({ model: "model-b" });
});

test("a record of an unknown type is kept, though nothing else is in its line", async () => {
  await using at = await readerPlace();
  at.write({ unknown: { type: "news", record: { a: 1 } } as never });
  await at.daemon().catchUp();
  expect(await at.context.store.unknownRecords(at.id, {})).toMatchObject([{ type: "news" }]);
});

test("a line of a sub-agent that says nothing changes nothing", async () => {
  await using at = await readerPlace();
  const before = await at.kinds();
  at.write({ memory: { a: 1 } });
  await at.daemon().catchUp();
  expect(await at.kinds()).toEqual(before);
});

test("the requests of a sub-agent are priced", async () => {
  await using at = await readerPlace();
  at.write({ usage: [request("r")] });
  await at.daemon().catchUp();
  const usage = (await at.context.store.events(at.id)).map(({ body }) => body).at(-1);
  expect(usage).toMatchObject({ kind: "usage_changed", usage: { costUsd: PRICE / 1e9 } });
});

test("a turn of a sub-agent begins before its text, and ends behind its last words", async () => {
  await using at = await readerPlace();
  const before = (await at.kinds()).length;
  at.write(BEGIN, { ...says("done"), ...DONE });
  await at.daemon().catchUp();
  const kinds = (await at.kinds()).slice(before);
  expect(kinds).toEqual(["turn_began", "entry_added", "entry_added", "turn_ended", "ended"]);
});

test("a sub-agent is over with the end of its turn, and not with a turn that is over and never began", async () => {
  await using at = await readerPlace();
  const reader = at.daemon();
  at.write({ ...says("left over"), ...DONE }, BEGIN);
  await reader.catchUp();
  expect(await at.row()).toMatchObject({ state: "running", turn: { number: 1, state: "running" } });
  at.write(DONE);
  await reader.catchUp();
  expect(await at.row()).toMatchObject({ state: "stopped", outcome: "success" });
});

test("a daemon that comes back ends a sub-agent whose turn an earlier one had seen end, as it went", async () => {
  await using at = await readerPlace();
  const { store } = at.context;
  const { change } = store;
  at.write(BEGIN, DONE);
  store.change = async (...args: Parameters<typeof change>) => {
    if ((await at.kinds()).includes("turn_ended")) throw new Error("killed");
    return change.apply(store, args);
  };
  await at.daemon().catchUp();
  expect(await at.row()).toMatchObject({ state: "running", turn: { state: "done" } });
  store.change = change;
  await at.daemon().catchUp();
  expect(await at.row()).toMatchObject({ state: "stopped", outcome: "success" });
});

test.each([
  ["open goes on", [BEGIN], "running"],
  ["over stays as it is", [BEGIN, DONE], "stopped"],
])(
  "a daemon that comes back finds that a sub-agent that was lost and whose turn is %s",
  async (_, lines, state) => {
    await using at = await readerPlace();
    at.write(...lines);
    await at.daemon().catchUp();
    await at.context.store.change(at.id, () => [newEvent(happened("lost"))]);
    await at.daemon().catchUp();
    expect(await at.row()).toMatchObject({ state });
  },
);

test("how far a sub-agent was read is kept with each line, once what was there at first is read", async () => {
  await using at = await readerPlace();
  const reader = at.daemon();
  const bytes = at.write(BEGIN, says("one"));
  await reader.catchUp();
  const readTo = async () => (await at.context.store.findCursor(at.id, at.path))?.byteOffset;
  expect(await readTo()).toBe(bytes);
  const more = at.write(says("two"));
  at.write(says("three"));
  await reader.catchUp();
  expect(await readTo()).toBe(bytes + more);
});

test("what a sub-agent said last is noted as its activity, and what it did without a word is not", async () => {
  await using at = await readerPlace();
  const reader = at.daemon();
  at.write(BEGIN, says("one"), { identity: { model: "model-b" } });
  await reader.catchUp();
  reader.stop();
  expect(at.activity.all).toEqual(["one"]);
});

test("a reader that stops with everything noted notes no more", async () => {
  await using at = await readerPlace();
  const reader = at.daemon();
  at.write(BEGIN, says("one"));
  await reader.catchUp();
  await pass(0);
  reader.stop();
  await idle();
  expect(at.activity.all).toEqual(["one"]);
});
