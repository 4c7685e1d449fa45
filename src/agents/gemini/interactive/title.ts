import type { Parsed } from "../../parsed.ts";
import type { GeminiMemory } from "../memory.ts";
import { readySignal, requestSignal, workingSignal } from "../signals.ts";

/**
 * The title begins with a sign for its state. Before it has worked it says `Ready` over its first dialogs, too, so that
 * only the screen tells when its prompt is there.
 */
export function parseTitle(title: string, memory: GeminiMemory): Parsed<GeminiMemory> {
  switch ([...title][0]) {
    case "◇":
      return parseReady(memory);
    case "✦":
    case "⏲":
      return {
        signal: workingSignal({ source: "terminal", rule: "title_working" }),
        memory: { title: "working", hasWorked: true },
      };
    case "✋":
      return {
        signal: requestSignal({ source: "terminal", rule: "title_action_required" }, {}),
        memory: { title: "asking", hasWorked: true },
      };
    default:
      return {};
  }
}

/** The file says that a turn failed or was cancelled before the title changes. */
function parseReady({ hasWorked }: GeminiMemory): Parsed<GeminiMemory> {
  if (hasWorked !== true) return {};
  const signal = readySignal({ source: "terminal", rule: "title_ready" }, "good");
  return { signal, awaits: "turn", memory: { title: "ready" } };
}
