import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { LastTurn } from "../../domain/session/outcome.ts";
import type { Signal } from "../../domain/supervise/signal.ts";

type Turn = Exclude<LastTurn, null>;
type Source = Signal["source"];

const TURNS: readonly unknown[] = ["good", "failed", "aborted"] satisfies Turn[];

export function working(source: Source, rule: string): Signal {
  return { source, rule, excerpt: null, says: "working" };
}

export function ready(source: Source, rule: string, turn?: Turn, excerpt: string | null = null): Signal {
  return { source, rule, excerpt, says: "ready", ...(turn === undefined ? {} : { turn }) };
}

/** Undefined for a request of a kind that the program does not have. */
export function asking(source: Source, rule: string, request: JsonObject): Signal | undefined {
  const { kind, question } = request;
  if (kind !== "permission" && kind !== "question") return undefined;
  const asked = {
    for: kind,
    requestId: textOf(request.request_id),
    tool: textOf(request.tool),
    input: isJsonObject(request.input) ? request.input : null,
    question: textOf(question),
    options: textsOf(request.options),
  } as const;
  return { source, rule, excerpt: asked.question ?? asked.tool, says: "asking", asked };
}

export function turnOf(value: Json | undefined): Turn | undefined {
  return TURNS.includes(value) ? (value as Turn) : undefined;
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function textsOf(value: Json | undefined): readonly string[] | null {
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isTexts ? (value as readonly string[]) : null;
}
