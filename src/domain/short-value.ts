import type { Json, JsonObject } from "./json.ts";

/** At most so many characters of a text, and a sign that there was more. */
export function shortText(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars).toWellFormed()}…`;
}

/** The same value with the beginning of each long text. */
export function shortTexts<T extends Json>(value: T, mostChars: number): T;
export function shortTexts(value: Json, mostChars: number): Json {
  if (typeof value === "string") return shortText(value, mostChars);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => shortTexts(each, mostChars));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortTexts(each, mostChars)]));
}

/** Parameters of a call: as they are where they are short, else with the beginning of each text, else none. */
export function shortParams(params: JsonObject): JsonObject {
  if (JSON.stringify(params).length <= MOST_PARAMS_CHARS) return params;
  const short = shortTexts(params, MOST_TEXT_CHARS);
  return JSON.stringify(short).length <= MOST_PARAMS_CHARS ? short : {};
}

const MOST_PARAMS_CHARS = 64 * 1024;
const MOST_TEXT_CHARS = 4096;

/** As of a name that a person gives. */
const MOST_FACT_CHARS = 4096;

/**
 * The facts without texts that are too long. An agent says them of itself: every list reads them in the row of its session,
 * and each event writes them again.
 */
export function shortFacts<T extends object>(facts: T): T {
  const short = Object.entries(facts).filter(
    ([, value]) => typeof value !== "string" || value.length <= MOST_FACT_CHARS,
  );
  return Object.fromEntries(short) as T;
}
