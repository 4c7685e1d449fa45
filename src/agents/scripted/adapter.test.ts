import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { autonomous } from "./autonomous/mode.ts";
import { parseStream } from "./autonomous/stream.ts";
import { parseHook } from "./hook.ts";
import { http } from "./http/mode.ts";
import { interactive } from "./interactive/mode.ts";
import { parseReport } from "./interactive/report.ts";
import { parseTranscript } from "./interactive/transcript.ts";

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
  test("find nothing in random text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([parseStream(text), parseTranscript(text), parseHook(text, {})]).toEqual([{}, {}, {}]);
      }),
    );
  });

  test("find nothing in random reports", () => {
    fc.assert(
      fc.property(fc.dictionary(word, fc.string()), (fields) => {
        fc.pre(fields.app !== "scripted");
        expect(parseReport(fields)).toEqual({});
      }),
    );
  });

  test("survive reports and lines that are nearly right", () => {
    const state = fc.constantFrom("idle", "working", "done", "error", "blocked", "clear");
    fc.assert(
      fc.property(fc.dictionary(word, fc.string()), state, line, (fields, said, object) => {
        parseReport({ ...fields, app: "scripted", state: said });
        parseStream(JSON.stringify(object));
        parseTranscript(JSON.stringify(object));
        for (const event of ["session_start", "turn_end", "request"]) parseHook(event, object);
      }),
    );
  });
});

describe("the scripted agent", () => {
  test("is trusted by mode, its own word first", () => {
    expect(interactive.trust).toEqual(["terminal", "hook", "screen"]);
    expect(autonomous.trust).toEqual(["stream", "hook"]);
    expect(http.trust).toEqual(["protocol"]);
  });
});
