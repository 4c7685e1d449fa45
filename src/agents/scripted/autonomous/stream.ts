import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import type { Signal } from "../../../domain/supervise/signal.ts";
import { textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { parseFields } from "../lines.ts";
import { readySignal, requestSignal, turnOf, workingSignal } from "../signals.ts";

/** One line of standard output: the state, its entries and their usage. */
export function parseStream(text: string): Parsed {
  const line = readJsonObject(text);
  if (line === undefined) return {};
  const signal = signalOf(line);
  return signal === undefined ? parseFields(line) : { signal, ...parseFields(line) };
}

function signalOf(line: JsonObject): Signal | undefined {
  const turn = turnOf(line.turn);
  if (line.type === "request") return requestSignal("stream", "stream_request", line);
  if (line.type === "state" && line.state === "working") return workingSignal("stream", "stream_working");
  if (line.type === "state" && line.state === "idle") return readySignal("stream", "stream_idle");
  if (line.type !== "result" || turn === undefined) return undefined;
  return readySignal("stream", "stream_result", turn, turn === "good" ? null : textOf(line.text));
}
