import { parseByteSize } from "../domain/byte-size.ts";
import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../domain/json.ts";
import { readModelPrices } from "../domain/price.ts";
import { LONGEST_DURATION_MS, parseDuration } from "../domain/time.ts";

export interface Setting<T extends Json> {
  readonly default: T;
  readonly about: string;
  /** Whether a project's own file may set it. Never for what concerns commands, ports, secrets or identity. */
  readonly inProject: boolean;
  readonly valid: string;
  /** The value as it is kept, or undefined where it is not valid. */
  readonly read: (value: Json) => T | undefined;
}

/** The word that people write for a limit that is not there. */
export const NO_LIMIT = "none";

const PRICES_VALID =
  "a JSON object of models, each with input and output in dollars for a million tokens, and perhaps cache_read, cache_write, cache_write_hour, web_search (dollars for one) and fast (a factor)";

export function whole(
  value: number,
  about: string,
  inProject: boolean,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): Setting<number> {
  const read = (given: Json) => {
    const number = typeof given === "string" && given !== "" ? Number(given) : given;
    const isValid = Number.isSafeInteger(number) && Number(number) >= least && Number(number) <= most;
    return isValid ? Number(number) : undefined;
  };
  const border = most === Number.MAX_SAFE_INTEGER ? "up" : `to ${most}`;
  return { default: value, about, inProject, valid: `a whole number from ${least} ${border}`, read };
}

/** A duration that nothing has by default. */
export function limit(about: string, inProject: boolean): Setting<string> {
  const read = (given: Json) => {
    const ms = typeof given === "string" ? parseDuration(given) : undefined;
    const isValid = given === NO_LIMIT || (ms !== undefined && ms > 0 && ms <= LONGEST_DURATION_MS);
    return isValid ? String(given) : undefined;
  };
  return { default: NO_LIMIT, about, inProject, valid: "none, or a duration such as 90s, 30m or 2h", read };
}

/** A number of bytes that nothing has by default. */
export function byteSize(about: string): Setting<string> {
  const read = (given: Json) => {
    const isValid = typeof given === "string" && (given === NO_LIMIT || (parseByteSize(given) ?? 0) > 0);
    return isValid ? given : undefined;
  };
  return { default: NO_LIMIT, about, inProject: false, valid: "none, or a size such as 500MB or 20GB", read };
}

export function size(value: string, about: string, inProject: boolean): Setting<string> {
  const read = (given: Json) => {
    const match = typeof given === "string" ? /^(\d{2,3})x(\d{1,3})$/.exec(given) : null;
    const isValid = match !== null && Number(match[1]) >= 20 && Number(match[2]) >= 5;
    return isValid ? match[0] : undefined;
  };
  return { default: value, about, inProject, valid: "columns x rows, from 20x5 to 999x999", read };
}

export function duration(value: string, about: string, inProject: boolean): Setting<string> {
  const read = (given: Json) =>
    typeof given === "string" && parseDuration(given) !== undefined ? given : undefined;
  return { default: value, about, inProject, valid: "a duration such as 90s, 30m or 2h", read };
}

/** How often something is done by itself: often enough to be of use, and seldom enough to cost little. */
export function interval(value: string, about: string): Setting<string> {
  const read = (given: Json) => {
    const ms = typeof given === "string" ? parseDuration(given) : undefined;
    const isValid = ms !== undefined && ms >= SHORTEST_INTERVAL_MS && ms <= LONGEST_INTERVAL_MS;
    return isValid ? String(given) : undefined;
  };
  return { default: value, about, inProject: false, valid: "a duration from 500ms to 24h", read };
}

const SHORTEST_INTERVAL_MS = 500;
const LONGEST_INTERVAL_MS = 24 * 3_600_000;

export function flag(value: boolean, about: string, inProject: boolean): Setting<boolean> {
  const read = (given: Json) => {
    if (typeof given === "boolean") return given;
    return given === "true" ? true : given === "false" ? false : undefined;
  };
  return { default: value, about, inProject, valid: "true or false", read };
}

export function text(value: string, about: string, inProject: boolean, least = 1): Setting<string> {
  const read = (given: Json) =>
    typeof given === "string" && given.length >= least && given.length <= 1000 ? given : undefined;
  return { default: value, about, inProject, valid: `a text of ${least} to 1000 characters`, read };
}

export function word(value: string, about: string, choices: readonly string[]): Setting<string> {
  const read = (given: Json) => choices.find((choice) => choice === given);
  return { default: value, about, inProject: false, valid: `one of ${choices.join(", ")}`, read };
}

/** The user's own prices by model, as an object or as the text of one. */
export function prices(about: string): Setting<JsonObject> {
  const read = (given: Json) => {
    const value = typeof given === "string" ? readJsonObject(given) : given;
    const isValid =
      isJsonObject(value) &&
      Object.entries(value).every(([model, one]) => model !== "" && readModelPrices(one) !== undefined);
    return isValid ? value : undefined;
  };
  return { default: {}, about, inProject: false, valid: PRICES_VALID, read };
}

export function names(
  value: readonly string[],
  about: string,
  inProject: boolean,
): Setting<readonly string[]> {
  const read = (given: Json) => {
    const list = typeof given === "string" ? given.split(",").map((name) => name.trim()) : given;
    const isValid =
      Array.isArray(list) && list.every((name) => typeof name === "string" && /^\w{1,200}$/.test(name));
    return isValid ? (list as readonly string[]) : undefined;
  };
  return { default: value, about, inProject, valid: "names separated by commas", read };
}
