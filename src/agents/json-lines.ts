import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import { type Instant, parseInstant } from "../domain/time.ts";
import type { Lines } from "./deed.ts";

// Reading and writing lines of JSON, as every agent does. Readers are total: a value of another type is absent.

/** Calls, texts or helpers that an agent leaves open: of more than any has at once, only the newest are remembered. */
export const MOST_OPEN = 200;

/** No agent names anything by a longer one. */
const MOST_ID_CHARS = 1000;

/** A text that names something; one that is too long to be kept is none. */
export function idOf(value: Json | undefined): string | null {
  const id = textOf(value);
  return id === null || id.length > MOST_ID_CHARS ? null : id;
}

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

/** The time of a line, for agents that stamp each with `timestamp`; none where it is missing. */
export function timeOf<Name extends string>(
  name: Name,
  { timestamp }: JsonObject,
): Partial<Record<Name, Instant>> {
  const at = parseInstant(textOf(timestamp) ?? "");
  return at === undefined ? {} : ({ [name]: at } as Record<Name, Instant>);
}

/** A whole number from 0 on; JSON can say -0, which is 0. */
export function countOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

/** Keeps the fields that are texts. */
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
