import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { parseInstant } from "../../domain/time.ts";
import type { Notes, Seen } from "../agent.ts";
import { entriesOf } from "./entries.ts";
import { objectOf, textOf } from "./lines.ts";
import { queueSeen, resultSeen, takenUp, turnOver } from "./queue.ts";
import { withTurn } from "./turns.ts";
import { usageOf } from "./usage.ts";

/** A line with a whole request to the model in it: large, and nothing of it was said to anyone. */
const REQUEST = /^\{"type":\s*"api-request/u;

/** One line of a transcript, of either kind. Those of sub-agents are in files of their own. */
export function transcript(text: string, notes: Notes): Seen {
  const line = REQUEST.test(text) ? undefined : readJsonObject(text);
  if (line === undefined || line.isSidechain === true) return {};
  const at = parseInstant(textOf(line.timestamp) ?? "");
  const seen = withTurn(seenIn(line, notes), line, notes);
  return Object.keys(seen).length === 0 || at === undefined ? seen : { at, ...seen };
}

function seenIn(line: JsonObject, notes: Notes): Seen {
  switch (line.type) {
    case "queue-operation":
      return queueSeen(line, notes);
    case "system":
      return line.subtype === "turn_duration" ? turnOver(notes) : entriesOf(line, notes);
    case "assistant":
      return { ...resultSeen(entriesOf(line, notes), line), ...requestOf(line) };
    case "user":
      return resultSeen(takenUp(entriesOf(line, notes), line, notes), line);
    case "attachment":
      return entriesOf(line, notes);
    default:
      return {};
  }
}

function requestOf(line: JsonObject): Seen {
  const usage = usageOf(line);
  const { model } = objectOf(line.message);
  return usage === undefined || typeof model !== "string" ? {} : { usage: [usage], identity: { model } };
}
