import type { Json, JsonObject } from "../../domain/json.ts";
import { objectOf, textOf } from "../json-lines.ts";

/** The texts in a list of parts, such as the content of a message. */
export function joinTexts(parts: Json | undefined): string {
  if (typeof parts === "string") return parts;
  if (!Array.isArray(parts)) return "";
  const texts = parts.map((part: Json) => textOf(part) ?? textOf(objectOf(part).text));
  return texts.filter((text) => text !== null && text !== "").join("\n");
}

/** The fields that are neither null nor missing. */
export function knownFields(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known) as JsonObject;
}
