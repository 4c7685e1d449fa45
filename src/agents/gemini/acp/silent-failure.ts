import { type Json, type JsonObject, readJsonObject } from "../../../domain/json.ts";
import type { AcpMemory } from "../../acp/memory.ts";
import { isPromptId } from "../../acp/protocol.ts";
import { noticeEntry, readySignal } from "../../acp/signals.ts";
import { objectOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { GeminiMemory } from "../memory.ts";

type Known = AcpMemory & GeminiMemory;

const WHY = "The model broke off its answer; Gemini CLI does not say why.";

/**
 * An answer of the model that broke off ends its turn as any other, with no tokens (0.61.0). So does a command of its own;
 * but only a text without an answer is taken back out of the conversation.
 */
export function withSilentFailure(line: string, parsed: Parsed<AcpMemory>, memory: Known): Parsed<Known> {
  const message = readJsonObject(line);
  if (!isPromptId(message?.id) || parsed.signal === undefined) return parsed;
  const settled: Parsed<Known> = { ...parsed, memory: { ...parsed.memory, isTakenBack: false } };
  if (!endsWithoutTokens(message?.result)) return settled;
  const isFailed = memory.isTakenBack === true;
  return {
    ...settled,
    awaits: "transcript",
    ...(isFailed
      ? {
          entries: [...(parsed.entries ?? []), noticeEntry(WHY)],
          signal: readySignal("prompt_answered", "failed", WHY),
        }
      : {}),
  };
}

function endsWithoutTokens(result: Json | undefined): boolean {
  const { stopReason, _meta } = objectOf(result);
  const counts: JsonObject = objectOf(objectOf(objectOf(_meta).quota).token_count);
  return stopReason === "end_turn" && counts.input_tokens === 0 && counts.output_tokens === 0;
}
