import type { Json, JsonObject } from "../../domain/json.ts";
import { isJsonObject } from "../../domain/json.ts";
import type { LastTurn } from "../../domain/session/outcome.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { textOf, textsOf } from "../json-lines.ts";

type Turn = Exclude<LastTurn, null>;
type Source = Signal["source"];

const TURNS: readonly unknown[] = ["good", "failed", "aborted"] satisfies Turn[];

export function workingSignal(source: Source, rule: string): Signal {
  return { source, rule, excerpt: null, says: "working" };
}

/** At its prompt; `turn` is how the turn before went. */
export function readySignal(
  source: Source,
  rule: string,
  turn?: Turn,
  excerpt: string | null = null,
): Signal {
  return { source, rule, excerpt, says: "ready", ...(turn === undefined ? {} : { turn }) };
}

/** Undefined for a request of a kind that the program does not have. */
export function requestSignal(source: Source, rule: string, request: JsonObject): Signal | undefined {
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

/** The state in a line of the program, as it comes on its standard output and as an event of its server. */
export function lineSignal(source: "stream" | "protocol", line: JsonObject): Signal | undefined {
  const turn = turnOf(line.turn);
  if (line.type === "request") return requestSignal(source, `${source}_request`, line);
  if (line.type === "state" && line.state === "working") return workingSignal(source, `${source}_working`);
  if (line.type === "state" && line.state === "idle") return readySignal(source, `${source}_idle`);
  if (line.type !== "result" || turn === undefined) return undefined;
  return readySignal(source, `${source}_result`, turn, turn === "good" ? null : textOf(line.text));
}
