import { readJsonObject } from "../../../domain/json.ts";
import { objectOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { parseChatBeside } from "../chat/chat.ts";
import type { GeminiMemory } from "../memory.ts";

/** One line of the conversation beside the protocol, which has its words and turns: the requests to the model alone. */
export function parseChatUsage(text: string, memory: GeminiMemory): Parsed<GeminiMemory> {
  const { entries: _, ...parsed } = parseChatBeside(text, memory);
  // All messages as they are now, in the middle of a turn: its text is not among them any more.
  const isRewritten = objectOf(readJsonObject(text)?.$set).messages !== undefined;
  if (!isRewritten || memory.turn !== "open") return parsed;
  return { ...parsed, memory: { ...parsed.memory, turn: "over", isTakenBack: true } };
}
