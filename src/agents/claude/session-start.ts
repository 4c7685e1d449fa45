import type { JsonObject } from "../../domain/json.ts";
import { textFields } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import type { ClaudeMemory } from "./memory.ts";

/** The hook `SessionStart`. It also runs after `/clear`, which begins another conversation in a file of its own. */
export function parseSessionStart(payload: JsonObject): Parsed<ClaudeMemory> {
  const { session_id: nativeId, model, transcript_path: transcript, source } = payload;
  return {
    identity: textFields({ nativeId, model }),
    ...textFields({ transcript }),
    memory: { hooks: true, ...(source === "clear" ? { cleared: true } : {}) },
  };
}
