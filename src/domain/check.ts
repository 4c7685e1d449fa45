import { RollcallError } from "./errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { type Instant, parseInstant } from "./time.ts";

export const METADATA_LIMIT_BYTES = 65_536;

/** A value of a closed list, or one sentence that names the list. */
export function checkOneOf<T extends string>(list: readonly T[], value: unknown, what: string): T {
  if (typeof value === "string" && (list as readonly string[]).includes(value)) return value as T;
  const code = what === "phase" ? "bad_phase" : "bad_input";
  throw new RollcallError(code, `${show(value)} is not ${/^[aeiou]/.test(what) ? "an" : "a"} ${what}.`, {
    hint: `Valid: ${list.join(", ")}.`,
  });
}

export function checkText(value: unknown, what: string, maxLength = 4096): string {
  if (typeof value !== "string")
    throw new RollcallError("bad_input", `${what} must be text, not ${show(value)}.`);
  if (value.length > maxLength) {
    throw new RollcallError(
      "bad_input",
      `${what} has ${value.length} characters; at most ${maxLength} are kept.`,
    );
  }
  return value;
}

/** A copy: what the caller does with the object afterwards changes nothing here. */
export function checkMetadata(value: unknown): JsonObject {
  if (isJsonObject(value)) return JSON.parse(checkMetadataSize(value)) as JsonObject;
  throw new RollcallError("bad_input", `metadata must be a JSON object, not ${show(value)}.`, {
    hint: `For example '{"task_id":"T001"}'.`,
  });
}

/** Returns the metadata as text. */
export function checkMetadataSize(metadata: JsonObject): string {
  const text = JSON.stringify(metadata);
  const bytes = byteLength(text);
  if (bytes <= METADATA_LIMIT_BYTES) return text;
  throw new RollcallError(
    "metadata_too_large",
    `The metadata would take ${bytes} bytes; at most ${METADATA_LIMIT_BYTES} are kept.`,
    { hint: "Keep large data in a file and its path in the metadata." },
  );
}

export function checkInstant(value: unknown, what: string): Instant {
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  if (instant !== undefined) return instant;
  throw new RollcallError("bad_input", `${show(value)} is not a time for ${what}.`, {
    hint: "Write UTC like 2026-01-08T18:05:30Z.",
  });
}

export function checkFlag(value: unknown, what: string): boolean {
  if (typeof value === "boolean") return value;
  throw new RollcallError("bad_input", `${what} must be true or false, not ${show(value)}.`);
}

export function checkCount(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new RollcallError("bad_input", `${what} must be a whole number from 0 up, not ${show(value)}.`);
}

export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function byteLength(text: string): number {
  // Every UTF-16 unit takes at most three bytes, so most texts need no encoding to be found small enough.
  return text.length * 3 <= METADATA_LIMIT_BYTES ? text.length : new TextEncoder().encode(text).length;
}
