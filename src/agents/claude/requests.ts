import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { type Asked, AT_PROMPT } from "../../domain/supervise/signal.ts";
import type { Question as Choosable } from "../choice.ts";
import type { Call } from "./memory.ts";

export interface Question extends Choosable {
  /** Its options have previews, and it accepts no text. */
  readonly hasPreviews: boolean;
}

const QUESTION_TOOL = "AskUserQuestion";

/** The request of a call. A question is a call like any other, recognised by the name of its tool. */
export function requestOf({ tool, input }: Call, requestId: string | null = null): Asked {
  if (tool !== QUESTION_TOOL) return { ...AT_PROMPT, for: "permission", requestId, tool, input };
  const [first, ...others] = questionsIn(input);
  const question = first === undefined ? null : [first, ...others].map((one) => one.question).join("\n");
  const options = others.length === 0 && first !== undefined ? first.labels : null;
  return { ...AT_PROMPT, for: "question", requestId, input, question, options };
}

/** Several can be asked at once, each with its own options. */
export function questionsIn(input: JsonObject | null): readonly Question[] {
  const questions = input?.questions;
  return Array.isArray(questions) ? questions.flatMap(questionOf) : [];
}

function questionOf(value: Json): Question[] {
  if (!isJsonObject(value) || typeof value.question !== "string") return [];
  const options = Array.isArray(value.options) ? value.options : [];
  const labels = options.flatMap((option) =>
    isJsonObject(option) && typeof option.label === "string" ? [option.label] : [],
  );
  const isMultiple = value.multiSelect === true;
  const hasPreviews =
    !isMultiple && options.some((option) => isJsonObject(option) && Boolean(option.preview));
  return [{ question: value.question, labels, isMultiple, hasPreviews, acceptsText: !hasPreviews }];
}

/**
 * Whether the message of a report is about this call. It has another name for the tool (`Update` is Edit), an input with
 * its blanks collapsed, and no input that would make it too long.
 */
export function isAbout(msg: string, { tool, input }: Call): boolean {
  if (tool === QUESTION_TOOL) {
    const question = collapseBlanks(questionsIn(input)[0]?.question ?? "");
    return msg === "input needed" || msg.startsWith(`answer: ${question}`);
  }
  if (msg === "permission prompt") return true;
  if (msg === "approve plan") return tool === "ExitPlanMode";
  const [, name, about] = /^approve ([^:]+)(?:: (.*))?$/su.exec(msg) ?? [];
  if (name === undefined) return false;
  if (about === undefined) return isNamedIn(name, tool);
  return Object.values(input).some((value) => typeof value === "string" && collapseBlanks(value) === about);
}

/** `Web Search` is WebSearch, `thing - poke (MCP)` is mcp__thing__poke. */
function isNamedIn(name: string, tool: string): boolean {
  const lower = name.toLowerCase();
  return tool.split(/__|(?=[A-Z])/u).every((word) => lower.includes(word.toLowerCase()));
}

function collapseBlanks(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
