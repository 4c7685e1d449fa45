import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scripted } from "./adapter.ts";

const { report, stream, transcript, hook } = scripted.observe;

/** Words that the parsers know, between others. */
const word = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "type",
    "state",
    "turn",
    "usage",
    "request",
    "result",
    "init",
    "text",
    "kind",
    "permission",
  ),
);
const value = fc.jsonValue() as fc.Arbitrary<never>;
const TYPES = ["init", "state", "request", "result", "user", "tool_call", "tool_result", "thinking"];
const line = fc.record({
  type: fc.constantFrom(...TYPES),
  state: value,
  turn: fc.oneof(value, fc.constantFrom("good", "failed")),
  kind: fc.oneof(value, fc.constantFrom("permission", "question")),
  text: value,
  usage: fc.oneof(
    value,
    fc.array(fc.record({ request_key: value, time: value, input: value, cost_usd: value })),
  ),
  input: value,
  options: value,
});

describe("the scripted agent's parsers", () => {
  test("are told nothing by random text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([stream?.(text, {}), transcript?.(text, {}), hook?.(text, {}, {})]).toEqual([{}, {}, {}]);
      }),
    );
  });

  test("are told nothing by random reports", () => {
    fc.assert(
      fc.property(fc.dictionary(word, fc.string()), (fields) => {
        fc.pre(fields.app !== "scripted");
        expect(report?.(fields, {})).toEqual({});
      }),
    );
  });

  test("survive reports and lines that are nearly right", () => {
    const state = fc.constantFrom("idle", "working", "done", "error", "blocked", "clear");
    fc.assert(
      fc.property(fc.dictionary(word, fc.string()), state, line, (fields, said, object) => {
        report?.({ ...fields, app: "scripted", state: said }, {});
        stream?.(JSON.stringify(object), {});
        transcript?.(JSON.stringify(object), {});
        for (const event of ["session_start", "turn_end", "request"]) hook?.(event, object, {});
      }),
    );
  });
});

describe("the scripted agent", () => {
  test("is trusted by kind, its own word first", () => {
    expect(scripted.trust("interactive")).toEqual(["terminal", "hook", "screen"]);
    expect(scripted.trust("autonomous")).toEqual(["stream", "hook"]);
  });
});
