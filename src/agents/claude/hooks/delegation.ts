import type { DelegationAdvice, DelegationInput } from "../../../domain/delegation.ts";
import { isJsonObject, type JsonObject, nonEmptyText } from "../../../domain/json.ts";
import type { HookCodec } from "../../hooks.ts";
import { adviceText } from "./advice.ts";

/** The tool that starts a sub-agent; earlier versions called it `Task`. */
const SUBAGENT_TOOLS: readonly unknown[] = ["Agent", "Task"];
/** The sub-agent that it starts where the model names no type. */
const DEFAULT_TYPE = "general-purpose";

/** PreToolUse of its sub-agent tool. The answer is a text for its model or nothing, never a decision. */
export const delegation: HookCodec<DelegationInput, DelegationAdvice> = {
  parse(payload) {
    const { tool_name: tool, tool_input: input } = payload;
    if (!SUBAGENT_TOOLS.includes(tool) || !isJsonObject(input)) return undefined;
    return {
      agentName: nameOf(payload),
      taskId: nonEmptyText(payload.tool_use_id),
      agentId: idNamedIn(nonEmptyText(input.prompt) ?? ""),
      caller: {
        agentType: "claude",
        nativeId: nonEmptyText(payload.session_id),
        cwd: nonEmptyText(payload.cwd),
      },
    };
  },
  encode(advice, payload) {
    const text = adviceText(advice, nameOf(payload));
    if (text === undefined) return {};
    return { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: text } };
  },
  fail: () => ({}),
};

function nameOf({ tool_input: input }: JsonObject): string {
  return (isJsonObject(input) && nonEmptyText(input.subagent_type)) || DEFAULT_TYPE;
}

/** The id must stand in so many words: a session that a prompt merely speaks of is not the sub-agent's own. */
function idNamedIn(prompt: string): string | null {
  const found = /\bagent_id["'`]?\s*[:=]\s*["'`]?([A-Za-z0-9][A-Za-z0-9._-]{0,127})/.exec(prompt)?.[1];
  // The end of a sentence is not part of the id.
  return found?.replace(/\.+$/, "") ?? null;
}
