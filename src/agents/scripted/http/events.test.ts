import { describe, expect, test } from "vitest";
import type { Json } from "../../../domain/json.ts";
import { catchUpOnRequests, catchUpOnStatus } from "./catch-up.ts";
import { parseEvent, resume } from "./events.ts";
import type { HttpMemory } from "./memory.ts";

const TIME = "2026-11-16T01:50:15.182Z";

function parse(line: object) {
  return parseEvent({ id: "1", name: "any", data: JSON.stringify(line) });
}

describe("an event of the scripted agent's server", () => {
  test("has its state, by the protocol, and its time", () => {
    expect(parse({ type: "state", state: "working", time: TIME })).toEqual({
      at: TIME,
      signal: { source: "protocol", rule: "protocol_working", excerpt: null, says: "working" },
    });
    expect(parse({ type: "result", turn: "failed", text: "no model", usage: [] })).toMatchObject({
      signal: { source: "protocol", says: "ready", turn: "failed", excerpt: "no model" },
      entries: [{ kind: "notice", text: "no model" }],
    });
  });

  test("has its identity, entries and requests as on the stream of pipes", () => {
    expect(parse({ type: "init", session_id: "n1", model: "m", version: "1" }).identity).toEqual({
      nativeId: "n1",
      model: "m",
      agentVersion: "1",
    });
    expect(parse({ type: "user", text: "hi" }).entries).toMatchObject([{ role: "user", text: "hi" }]);
    const request = { type: "request", request_id: "r1", kind: "permission", tool: "Bash", input: {} };
    expect(parse(request).signal).toMatchObject({ says: "asking", asked: { requestId: "r1", tool: "Bash" } });
  });

  test("of a helper belongs to a child, and one without a known line says nothing", () => {
    expect(parse({ type: "helper", id: "h1", state: "working", time: TIME })).toEqual({
      child: { nativeId: "h1" },
    });
    expect(parseEvent({ id: null, name: "heartbeat", data: "{}" })).toEqual({});
    expect(parseEvent({ id: null, name: "x", data: "no JSON" })).toEqual({});
  });
});

test.each([
  [{}, "0"],
  [{ lastId: "12" }, "12"],
  [{ lastId: "damaged" }, "0"],
])("with the memory %o the stream is resumed behind event %s", (memory, id) => {
  expect(resume.lastId(memory)).toBe(id);
});

const BUSY = { state: "working", last_turn: "good" };
const IDLE = { state: "idle", last_turn: "failed" };
const REQUEST = { request_id: "r1", kind: "permission", tool: "Bash", input: {} };
/** The server keeps the events 5 to 9. */
const RANGE = { first_event_id: 5, last_event_id: 9 };

function status(answer: Json & object, memory: HttpMemory) {
  return catchUpOnStatus.parse({ ...answer, ...RANGE } as Json, memory);
}

function requests(list: readonly Json[], memory: HttpMemory) {
  return catchUpOnRequests.parse({ requests: list, ...RANGE } as Json, memory);
}

describe("what was missed of the scripted agent", () => {
  test.each([
    ["works", BUSY, { says: "working" }],
    ["rests", IDLE, { says: "ready" }],
  ])("is its state where all events are read: it %s", (_, answer, signal) => {
    const parsed = status(answer, { lastId: "9" });
    expect(parsed).toEqual({ signal: expect.objectContaining({ source: "protocol", ...signal }) });
    // How its last turn went is known.
    expect(parsed.signal).not.toHaveProperty("turn");
  });

  test("is left to the events where the stream still brings them", () => {
    for (const lastId of ["4", "8"]) {
      expect(status(IDLE, { lastId })).toEqual({});
      expect(requests([REQUEST], { lastId })).toEqual({ memory: { isAsking: true } });
    }
  });

  test("is a request that stands, and then not that it works", () => {
    const { signal, memory } = requests([REQUEST], { lastId: "9" });
    expect(signal).toMatchObject({ says: "asking", asked: { requestId: "r1" } });
    expect(status(BUSY, { lastId: "9", ...memory })).toEqual({});
    expect(requests([], { lastId: "9" })).toEqual({ memory: { isAsking: false } });
  });

  test("is its state, how its turn went, and how much is lost, where the server has not kept all events", () => {
    expect(status(IDLE, { lastId: "1" })).toMatchObject({
      signal: { says: "ready", turn: "failed" },
      entries: [{ kind: "notice", text: "3 events of the agent were not read in time and are lost." }],
    });
    expect(requests([REQUEST], { lastId: "1" }).signal).toMatchObject({ says: "asking" });
  });
});
