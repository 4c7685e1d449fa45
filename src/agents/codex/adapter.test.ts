import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type Json } from "../../domain/json.ts";
import { expectWellFormed } from "../../testing/well-formed-seen.ts";
import type { Notes } from "../agent.ts";
import { codex } from "./adapter.ts";

const SAMPLES = join(import.meta.dirname, "samples");
const LINES = readdirSync(SAMPLES).flatMap((name) =>
  readFileSync(join(SAMPLES, name), "utf8").split("\n").filter(Boolean),
);
const { stream, transcript, report, isOwnTranscript } = codex.observe;

/** Notes as the parsers leave them, and as nobody would. */
const notes = fc.record(
  {
    thread: fc.constantFrom("01a1e641-0580-7520-b632-c836c9b38745", ""),
    turn: fc.constantFrom("open", "over", "x"),
    report: fc.constantFrom("idle", "working", "blocked"),
    calls: fc.oneof(fc.json(), fc.constant('[{"id":"c","name":"exec_command","input":{"cmd":"ls"}}]')),
    pending: fc.oneof(fc.json(), fc.constant('[{"requestId":"0:i","tool":"t"}]')),
    changes: fc.json(),
    model: fc.string(),
  },
  { requiredKeys: [] },
);

test("a real line with something else in any place of it is read without harm", () => {
  const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, "", -1, {}, []));
  fc.assert(
    fc.property(fc.constantFrom(...LINES), fc.nat(), values, notes, (line, place, value, noted) => {
      const changed = JSON.stringify(replaced(JSON.parse(line) as Json, place, value as Json));
      for (const text of [line, changed]) {
        expectWellFormed(codex, stream?.(text, noted as Notes) ?? {});
        expectWellFormed(codex, transcript?.(text, noted as Notes) ?? {});
        expect(typeof isOwnTranscript?.(text)).toBe("boolean");
      }
    }),
    { numRuns: 2000 },
  );
});

test("a report of any state means something that can be used, whatever was noted", () => {
  const states = fc.constantFrom("idle", "working", "done", "error", "blocked", "clear", "other");
  fc.assert(
    fc.property(states, fc.constantFrom("permission", "question", ""), notes, (state, kind, noted) => {
      expectWellFormed(codex, report?.({ app: "codex", state, kind }, noted as Notes) ?? {});
    }),
  );
});

/** The value with another one in its n-th place, counted through all that is in it. */
function replaced(value: Json, place: number, other: Json): Json {
  let left = place % Math.max(1, JSON.stringify(value).split(/[:,]/).length);
  const walk = (at: Json): Json => {
    if (left-- === 0) return other;
    if (Array.isArray(at)) return at.map(walk);
    return isJsonObject(at) ? Object.fromEntries(Object.entries(at).map(([k, v]) => [k, walk(v)])) : at;
  };
  return walk(value);
}
