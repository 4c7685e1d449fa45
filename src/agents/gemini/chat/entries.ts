import type { Json, JsonObject } from "../../../domain/json.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import { listOf, objectOf, textOf } from "../../json-lines.ts";
import type { Answer } from "../memory.ts";

/** The texts of a content: a text, or a list of parts. */
export function joinParts(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const texts = listOf(content).map((part) => textOf(part) ?? textOf(objectOf(part).text));
  return texts.filter((text) => text !== null && text !== "").join("\n");
}

/** Whether a content hands results of tools to the model. */
export function isResults(content: Json | undefined): boolean {
  return listOf(content).some((part) => objectOf(part).functionResponse !== undefined);
}

/** The parts of an answer that are not in the record yet, and what is in it then. */
export function answerEntries(message: JsonObject, before: Answer): { entries: NewEntry[]; answer: Answer } {
  const text = joinParts(message.content);
  const said: NewEntry[] = before.hasText
    ? []
    : [
        ...listOf(message.thoughts).flatMap(thoughtEntry),
        ...(text === "" ? [] : [{ role: "assistant", kind: "text", text, tool: null } as const]),
      ];
  const calls = listOf(message.toolCalls)
    .map(objectOf)
    .filter(({ id }) => typeof id === "string");
  const newCalls = calls.filter(({ id }) => !before.calls.includes(id as string));
  const newResults = calls.filter((call) => isOver(call) && !before.results.includes(call.id as string));
  return {
    entries: [...said, ...newCalls.map(callEntry), ...newResults.map(resultEntry)],
    answer: {
      id: before.id,
      calls: [...before.calls, ...newCalls.map(({ id }) => id as string)],
      results: [...before.results, ...newResults.map(({ id }) => id as string)],
      // Its thoughts and its text are written together, at its end.
      hasText: true,
    },
  };
}

function thoughtEntry(thought: Json): NewEntry[] {
  const { subject, description } = objectOf(thought);
  const text = [textOf(subject), textOf(description)].filter((part) => part !== null && part !== "");
  return text.length === 0
    ? []
    : [{ role: "assistant", kind: "thinking", text: text.join("\n"), tool: null }];
}

function callEntry({ id, name, args }: JsonObject): NewEntry {
  const tool = { name: textOf(name) ?? "tool", callId: id as string, params: objectOf(args) };
  return { role: "assistant", kind: "tool_call", text: null, tool };
}

/** Whether a call of a tool is over. */
export function isOver({ status }: JsonObject): boolean {
  return status === "success" || status === "error" || status === "cancelled";
}

function resultEntry(call: JsonObject): NewEntry {
  const { id, name, status } = call;
  const failed = status === "success" ? {} : { isError: true as const };
  const tool = { name: textOf(name) ?? "tool", callId: id as string, result: resultOf(call), ...failed };
  return { role: "tool", kind: "tool_result", text: null, tool };
}

function resultOf({ result, resultDisplay }: JsonObject): string {
  const responses = listOf(result).map((part) => objectOf(objectOf(part).functionResponse));
  const texts = responses.map(({ response }) => {
    const { output, error } = objectOf(response);
    return textOf(output) ?? textOf(error);
  });
  return texts.filter((text) => text !== null).join("\n") || (textOf(resultDisplay) ?? "");
}
