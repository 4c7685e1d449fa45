import type { JsonObject } from "../../domain/json.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { Seen } from "../agent.ts";
import { seenIn } from "./lines.ts";
import { asking, ready, textOf, turnOf, working } from "./signals.ts";

/** What the program tells the script in `ROLLCALL_HOOK`: its states, and who it is. */
export function hook(event: string, payload: JsonObject): Seen {
  const signal = signalOf(event, payload);
  const who = event === "session_start" ? seenIn({ ...payload, type: "init" }) : {};
  return signal === undefined ? who : { signal, ...who };
}

function signalOf(event: string, payload: JsonObject): Signal | undefined {
  const turn = turnOf(payload.turn);
  switch (event) {
    case "session_start":
      return ready("hook", "hook_session_start");
    case "turn_start":
      return working("hook", "hook_turn_start");
    case "turn_end":
      if (turn === undefined) return undefined;
      return ready("hook", "hook_turn_end", turn, turn === "good" ? null : textOf(payload.text));
    case "request":
      return asking("hook", "hook_request", payload);
    default:
      return undefined;
  }
}
