import { describe, expect, test } from "vitest";
import type { TurnMark } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseRecord } from "./transcript.ts";

const prompt = (promptSource: string, content: string, more = {}) =>
  ({ type: "user", promptSource, message: { role: "user", content }, ...more }) as const;
const news = (entrypoint: string) =>
  prompt("system", "<task-notification>\n<task-id>a1</task-id>\n</task-notification>", {
    origin: { kind: "task-notification" },
    entrypoint,
  });
const result = { type: "tool_result", tool_use_id: "t1", content: "Async agent launched" };
const launched = {
  type: "user",
  message: { role: "user", content: [result] },
  toolUseResult: { isAsync: true, agentId: "a1" },
};
const done = { type: "assistant", message: { id: "m", model: "x", content: [], stop_reason: "end_turn" } };
const duration = { type: "system", subtype: "turn_duration" };

function marksOf(...records: readonly object[]): TurnMark[] {
  let memory: ClaudeMemory = {};
  return records.flatMap((record) => {
    const { turn, memory: learned } = parseRecord(record as Parameters<typeof parseRecord>[0], memory);
    memory = { ...memory, ...learned } as ClaudeMemory;
    return turn ?? [];
  });
}

const GOOD = { over: { result: "good", why: null } };
const BEGUN = { isBegun: true };

describe("a turn with a sub-agent in the background", () => {
  test("lasts until its news was taken in", () => {
    const first = [prompt("typed", "go"), launched, done, duration];
    expect(marksOf(...first, news("cli"), done, duration)).toEqual([BEGUN, GOOD]);
  });

  test("lasts as long where no line tells the end of a turn", () => {
    const first = [prompt("sdk", "go"), launched, done];
    const marks = marksOf(...first, news("sdk-cli"), done, { type: "cost-state" });
    expect(marks).toEqual([BEGUN, GOOD]);
  });

  test("is over when a person begins another one", () => {
    const first = [prompt("typed", "go"), launched, done, duration];
    expect(marksOf(...first, prompt("typed", "more"), done, duration)).toEqual([
      BEGUN,
      { ...GOOD, ...BEGUN },
      GOOD,
    ]);
  });

  test("leaves a wake-up that nobody waits for a turn of its own", () => {
    expect(marksOf(prompt("typed", "go"), done, duration, news("cli"), done, duration)).toEqual([
      ...[BEGUN, GOOD],
      ...[BEGUN, GOOD],
    ]);
  });
});
