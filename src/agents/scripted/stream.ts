import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { Seen } from "../agent.ts";
import { seenIn } from "./lines.ts";
import { asking, ready, textOf, turnOf, working } from "./signals.ts";

/** One line of an autonomous session: its state, its entries and what they used. */
export function stream(text: string): Seen {
  const line = readJsonObject(text);
  if (line === undefined) return {};
  const signal = signalOf(line);
  return signal === undefined ? seenIn(line) : { signal, ...seenIn(line) };
}

function signalOf(line: JsonObject): Signal | undefined {
  const turn = turnOf(line.turn);
  if (line.type === "request") return asking("stream", "stream_request", line);
  if (line.type === "state" && line.state === "working") return working("stream", "stream_working");
  if (line.type === "state" && line.state === "idle") return ready("stream", "stream_idle");
  if (line.type !== "result" || turn === undefined) return undefined;
  return ready("stream", "stream_result", turn, turn === "good" ? null : textOf(line.text));
}
