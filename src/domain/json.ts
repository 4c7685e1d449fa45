export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text that a value is; null for an empty one and for anything else. */
export function nonEmptyText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Nothing that an agent writes is nested so deep. JSON.stringify, and whatever else calls itself, fails at some thousand levels. */
const MOST_DEPTH = 1000;

/** The value of a text of JSON. One that is nested too deep is refused like a text that is no JSON. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (hasManyBrackets(text) && isDeeper(value, MOST_DEPTH)) throw new SyntaxError("JSON is nested too deep.");
  return value;
}

/** The object that a text of JSON is; undefined for anything else, such as a line that is not written to its end yet. */
export function readJsonObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Most texts have too few to be nested deep, so that their values need no look. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > MOST_DEPTH) return true;
  return false;
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
