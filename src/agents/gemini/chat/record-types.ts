import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import type { UnknownRecord } from "../../../domain/transcript/unknown-record.ts";
import type { RecordSort } from "../../history.ts";
import { textOf } from "../../json-lines.ts";

const MESSAGES = ["user", "gemini", "info", "warning", "error"];

/** Sorts a line of a conversation: a message, a change of what stands above, or the head of the file. */
export function sortRecord(record: JsonObject): RecordSort {
  const type = textOf(record.type);
  if (type !== null) return { type, is: MESSAGES.includes(type) ? "known" : "unknown" };
  if (isJsonObject(record.$set)) return { type: "$set", is: "known" };
  if (record.$rewindTo !== undefined) return { type: "$rewindTo", is: "known" };
  return typeof record.sessionId === "string"
    ? { type: "head", is: "known" }
    : { type: "unnamed", is: "unknown" };
}

/** For a transcript that is read as it grows. */
export function unknownIn(record: JsonObject): { readonly unknown?: UnknownRecord } {
  const { type, is } = sortRecord(record);
  return is === "unknown" ? { unknown: { type, record } } : {};
}
