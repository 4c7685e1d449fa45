import type { JsonObject } from "../../domain/json.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { parseFields } from "./lines.ts";
import { readySignal, requestSignal, turnOf, workingSignal } from "./signals.ts";

/** An event that the program hands to the script in `ROLLCALL_HOOK`: its states, and its identity. */
export function parseHook(event: string, payload: JsonObject): Parsed {
  const signal = signalOf(event, payload);
  const identity = event === "session_start" ? parseFields({ ...payload, type: "init" }) : {};
  return signal === undefined ? identity : { signal, ...identity };
}

function signalOf(event: string, payload: JsonObject): Signal | undefined {
  const turn = turnOf(payload.turn);
  switch (event) {
    case "session_start":
      return readySignal("hook", "hook_session_start");
    case "turn_start":
      return workingSignal("hook", "hook_turn_start");
    case "turn_end":
      if (turn === undefined) return undefined;
      return readySignal("hook", "hook_turn_end", turn, turn === "good" ? null : textOf(payload.text));
    case "request":
      return requestSignal("hook", "hook_request", payload);
    default:
      return undefined;
  }
}
