import { readJsonObject } from "../../domain/json.ts";
import type { Seen } from "../agent.ts";
import { seenIn } from "./lines.ts";

/** One line of the transcript of an interactive session: entries and usage. What a fork copied is its origin's. */
export function transcript(text: string): Seen {
  const line = readJsonObject(text);
  if (line === undefined || line.inherited === true) return {};
  return line.type === "result" ? { ...seenIn(line), isTurnRead: true } : seenIn(line);
}
