import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";

/** The blocks of a message; a plain text is one. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}
