import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";

export function readJson(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

export function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** The texts of a list of parts, such as the content of a message. */
export function textIn(parts: Json | undefined): string {
  if (typeof parts === "string") return parts;
  if (!Array.isArray(parts)) return "";
  const texts = parts.map((part: Json) => textOf(part) ?? textOf(objectIn(part).text));
  return texts.filter((text) => text !== null && text !== "").join("\n");
}

/** What is known of it: the fields that are neither null nor missing. */
export function known(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(there) as JsonObject;
}

/** Those of the fields that are texts. */
export function texts<Name extends string>(
  fields: Readonly<Record<Name, Json | undefined>>,
): Partial<Record<Name, string>> {
  const there = Object.entries(fields).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(there) as Partial<Record<Name, string>>;
}
