import { expect, test } from "vitest";
import type { AcpMemory } from "../../acp/memory.ts";
import type { Parsed } from "../../parsed.ts";
import type { GeminiMemory } from "../memory.ts";
import { acp } from "./mode.ts";

type Known = AcpMemory & GeminiMemory;

const AT_WORK: Known = { launch: "abc", session: "s1", prompts: 1, prompt: "prompt-1", turn: "over" };

const at = "2026-11-19T05:38:08.156Z";
const text = { id: "1", timestamp: at, type: "user", content: [{ text: "hello" }] };
const answer = { id: "2", timestamp: at, type: "gemini", content: "hi", model: "gemini-3.8-flash" };
const rewritten = { $set: { messages: [] } };

function answered(tokens: number) {
  const quota = { token_count: { input_tokens: tokens, output_tokens: tokens }, model_usage: [] };
  return { jsonrpc: "2.0", id: "prompt-1", result: { stopReason: "end_turn", _meta: { quota } } };
}

/** The end of a turn behind these lines of its conversation. */
function endOf(lines: readonly object[], message: object): Parsed<Known> {
  let memory = AT_WORK;
  for (const line of lines) {
    const parsed = acp.sources.transcript?.parse(JSON.stringify(line), memory);
    memory = { ...memory, ...parsed?.memory };
  }
  return acp.sources.stream?.parse(JSON.stringify(message), memory) ?? {};
}

test("a turn without tokens whose text was taken back has failed", () => {
  const { signal, awaits, entries } = endOf([text, rewritten], answered(0));
  const why = expect.stringContaining("broke off");
  expect([signal, awaits]).toMatchObject([{ turn: "failed", excerpt: why }, "transcript"]);
  expect(entries).toMatchObject([{ kind: "notice", text: why }]);
});

test("a command of its own has no tokens either, and is good", () => {
  expect(endOf([], answered(0)).signal).toMatchObject({ turn: "good" });
});

test("a good turn of a provider that tells no tokens is good", () => {
  expect(endOf([text, answer], answered(0)).signal).toMatchObject({ turn: "good" });
});

test("a turn with tokens awaits nothing", () => {
  const parsed = endOf([text, rewritten], answered(20));
  expect([parsed.signal, parsed.awaits]).toMatchObject([{ turn: "good" }, undefined]);
});
