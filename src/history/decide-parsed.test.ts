import { describe, expect, test } from "vitest";
import { apply } from "../domain/session/apply.ts";
import type { SessionRow } from "../domain/session/session.ts";
import type { NewEntry } from "../domain/transcript/entry.ts";
import { created, newEvent, request, T0, T1, T2 } from "../testing/events.ts";

import { decideParsed, type ParsedPiece } from "./decide-parsed.ts";

const SAID: NewEntry = { role: "assistant", kind: "text", text: "hello", tool: null };
const TYPED: NewEntry = { role: "user", kind: "text", text: "go", tool: null };

function session(): SessionRow {
  const event = newEvent(created({ identity: { nativeId: "n1", model: "m1" } }));
  return apply(undefined, { ...event, sessionId: "s", seq: 1 }) as SessionRow;
}

function decide(piece: Partial<ParsedPiece>, row = session()) {
  let made = 0;
  const stamp: ParsedPiece["stamp"] = (body, at) => ({ id: `made-${++made}`, at, channel: null, body });
  return decideParsed(row, { now: T2, stamp, ...piece });
}

describe("a parsed piece", () => {
  test("gives its entries the time at which they were said, and ids by their place", () => {
    const { events } = decide({ at: T1, entries: [TYPED, SAID], key: "place" });
    expect(events.map(({ id, at }) => [id, at])).toEqual([
      ["place-0", T1],
      ["place-1", T1],
    ]);
  });

  test.each([
    ["without a time", undefined],
    ["with a time that has not come yet", "2099-01-01T00:00:00.000Z"],
  ])("%s counts as said now", (_what, at) => {
    expect(decide({ at, entries: [SAID] }).events).toMatchObject([{ id: "made-1", at: T2 }]);
  });

  test("identifies a session only where something of it is new", () => {
    expect(decide({ identity: { nativeId: "n1", model: "m1" } }).events).toEqual([]);
    const identity = { nativeId: "n1", model: "m2" };
    expect(decide({ at: T0, identity }).events).toMatchObject([
      { at: T2, body: { kind: "identified", identity } },
    ]);
  });

  test("identifies a session by nothing that is too long for its row", () => {
    const endless = "x".repeat(1_000_000);
    expect(decide({ identity: { model: endless } }).events).toEqual([]);
    expect(decide({ identity: { agentVersion: endless, model: "m2" } }).events).toMatchObject([
      { body: { kind: "identified", identity: { model: "m2" } } },
    ]);
  });

  test("says with its last entry alone how much of the output was consumed", () => {
    const consumed = { stream: "out", offset: 7 } as const;
    const bodies = decide({ entries: [SAID, SAID], consumed }).events.map(({ body }) => body);
    expect(bodies.map((body) => "consumed" in body)).toEqual([false, true]);
  });

  test("opens a turn with a user's text, not with what the agent says", () => {
    const bodies = decide({ entries: [SAID, TYPED], opensTurn: true }).events.map(({ body }) => body);
    expect(bodies.map((body) => "opensTurn" in body)).toEqual([false, true]);
  });

  test("puts turns that begin before its words, and turns that end behind them", () => {
    const turn = (kind: "turn_began" | "turn_ended") => ({
      id: kind,
      body: (generation: number) =>
        kind === "turn_began"
          ? ({ kind, number: 1, generation, by: "agent" } as const)
          : ({ kind, number: 1, generation, outcome: null, error: null } as const),
    });
    const turns = { before: [turn("turn_began")], after: [turn("turn_ended")] };
    const { events } = decide({ at: T1, entries: [SAID], turns });
    expect(events.map(({ id, body }) => [id, body.kind])).toEqual([
      ["turn_began", "turn_began"],
      ["made-2", "entry_added"],
      ["turn_ended", "turn_ended"],
    ]);
    expect(events.every(({ at }) => at === T1)).toBe(true);
  });

  test("passes usage on, to be committed with the rest", () => {
    expect(decide({ usage: [request("r")] })).toEqual({ events: [], usage: [request("r")], at: T2 });
  });
});
