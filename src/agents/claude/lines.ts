import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";

export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The blocks of a message; a plain text is one. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}
