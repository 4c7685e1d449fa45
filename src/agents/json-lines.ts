import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import type { Lines } from "./deed.ts";

// Reading and writing lines of JSON, as every agent does. Readers are total: a value of another type is absent.

export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** The object, or an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The list, or an empty one. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A list of texts alone; null for anything else. */
export function textsOf(value: Json | undefined): readonly string[] | null {
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isTexts ? (value as readonly string[]) : null;
}

/** A whole number from 0 on. */
export function countOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Those of the fields that are texts. */
export function textFields<Name extends string>(
  fields: Readonly<Record<Name, Json | undefined>>,
): Partial<Record<Name, string>> {
  const found = Object.entries(fields).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}

/** Each value as one line on standard input. */
export function jsonLines(...values: readonly object[]): Lines {
  return { via: "lines", lines: values.map((value) => JSON.stringify(value)) };
}
