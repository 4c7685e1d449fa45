import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { shortParams } from "../../domain/short-value.ts";
import { type Asked, AT_PROMPT } from "../../domain/supervise/signal.ts";
import type { Question } from "../choice.ts";
import { listOf, objectOf, textOf, textsOf } from "../json-lines.ts";
import type { OpenRequest } from "./memory.ts";

/** A permission as it is asked for and as it is listed; undefined for anything else. */
export function permissionIn({
  id,
  permission,
  metadata,
  patterns,
  always,
}: JsonObject): OpenRequest | undefined {
  if (typeof id !== "string" || id === "") return undefined;
  const known = objectOf(metadata);
  // A path or an address that it asks for may stand in the patterns alone.
  const input = shortParams(Object.keys(known).length > 0 ? known : { patterns: listOf(patterns) });
  const canLast = (textsOf(always) ?? []).length > 0;
  return { id, kind: "permission", tool: textOf(permission), input, canLast };
}

export function questionIn({ id, questions }: JsonObject): OpenRequest | undefined {
  if (typeof id !== "string" || id === "" || !Array.isArray(questions)) return undefined;
  return { id, kind: "question", tool: null, input: { questions }, canLast: false };
}

export function askedOf({ id, kind, tool, input }: OpenRequest): Asked {
  if (kind === "permission") return { ...AT_PROMPT, for: "permission", requestId: id, tool, input };
  const [first, ...others] = questionsIn(input);
  const question = first === undefined ? null : [first, ...others].map((one) => one.question).join("\n");
  const options = others.length === 0 && first !== undefined ? first.labels : null;
  return { ...AT_PROMPT, for: "question", requestId: id, input, question, options };
}

/** Several can be asked at once, each with its own options. */
export function questionsIn(input: JsonObject | null): readonly Question[] {
  return listOf(input?.questions).flatMap(questionOf);
}

function questionOf(value: Json): Question[] {
  if (!isJsonObject(value) || typeof value.question !== "string") return [];
  const labels = listOf(value.options).flatMap((option) => textOf(objectOf(option).label) ?? []);
  const acceptsText = value.custom !== false;
  return [{ question: value.question, labels, isMultiple: value.multiple === true, acceptsText }];
}
