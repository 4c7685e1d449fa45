import type { JsonObject } from "../../../domain/json.ts";
import { listOf, MOST_OPEN, objectOf, textOf } from "../../json-lines.ts";
import { blocksOf } from "../content.ts";
import type { ClaudeMemory } from "../memory.ts";

/**
 * Sub-agents that work on when their turn has had its last word, by their id. Claude Code shows itself at work until it
 * has taken in their news, so that this is one turn.
 */
export function backgroundOf({ background }: ClaudeMemory): readonly string[] {
  return listOf(background).filter((id) => typeof id === "string");
}

/** The same after a line; undefined where it changes nothing. */
export function backgroundAfter(line: JsonObject, memory: ClaudeMemory): readonly string[] | undefined {
  const running = backgroundOf(memory);
  const { isAsync, agentId } = objectOf(line.toolUseResult);
  if (isAsync === true && typeof agentId === "string") return [...running, agentId].slice(-MOST_OPEN);
  const told = taskTold(line);
  return told !== undefined && running.includes(told) ? running.filter((id) => id !== told) : undefined;
}

/** Whether a prompt of the program's own tells of a sub-agent that its turn waits for. */
export function isAwaited(line: JsonObject, memory: ClaudeMemory): boolean {
  const told = taskTold(line);
  return told !== undefined && backgroundOf(memory).includes(told);
}

function taskTold({ type, origin, message }: JsonObject): string | undefined {
  if (type !== "user" || objectOf(origin).kind !== "task-notification") return undefined;
  const texts = blocksOf(objectOf(message).content).map(({ text }) => textOf(text) ?? "");
  return /<task-id>([^<]+)<\/task-id>/.exec(texts.join("\n"))?.[1];
}
