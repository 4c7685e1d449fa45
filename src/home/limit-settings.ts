import { homedir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../domain/json.ts";
import type { Limit } from "../domain/limits/limit.ts";
import { parseUsd } from "../domain/limits/money.ts";
import { AGENT_TYPES, type AgentType } from "../domain/session/session.ts";
import { LONGEST_DURATION_MS, parseDuration } from "../domain/time.ts";
import { NO_LIMIT, type Setting } from "./setting.ts";

type Kind = Limit["kind"];

/** The settings of a session that are limits. A project may only lower them: a cloned repository takes no budget away. */
export const LIMIT_SETTINGS = {
  "session.timeout": "timeout",
  "session.idle_timeout": "idle_timeout",
  "session.max_cost": "max_cost",
  "session.max_tokens": "max_tokens",
} as const satisfies Record<string, Kind>;

export type LimitAmounts = { readonly [K in Kind]?: number | null };

/** Parsers of the values that people write, each into the unit that the limit is kept in; undefined where it is not valid. */
const READ: Readonly<Record<Kind, (text: string) => number | undefined>> = {
  timeout: readDuration,
  idle_timeout: readDuration,
  max_cost: parseUsd,
  max_tokens: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
};

export function amount(kind: "max_cost" | "max_tokens", about: string): Setting<string> {
  const read = (given: Json) => (readAmount(kind, given) === undefined ? undefined : String(given));
  const valid =
    kind === "max_cost"
      ? "none, or dollars such as 5 or 0.25, with at most nine decimals"
      : "none, or a whole number from 1 up";
  return { default: NO_LIMIT, about, inProject: true, valid, read };
}

/** Limits by agent type, purpose or folder, as an object or as the text of one. */
export function limitsBy(by: "agent" | "purpose" | "folder", about: string): Setting<JsonObject> {
  const read = (given: Json) => {
    const value = typeof given === "string" ? readJsonObject(given) : given;
    if (!isJsonObject(value)) return undefined;
    const isValid = Object.entries(value).every(
      ([name, limits]) => isName(by, name) && readLimits(limits) !== undefined,
    );
    return isValid ? value : undefined;
  };
  const names = { agent: AGENT_TYPES.join(", "), purpose: "purposes", folder: "whole paths" }[by];
  const valid = `a JSON object of ${names}, each with max_cost, max_tokens, timeout or idle_timeout`;
  return { default: {}, about, inProject: false, valid, read };
}

interface LimitConfig {
  readonly "session.by_agent": JsonObject;
  readonly "session.by_purpose": JsonObject;
  readonly "session.by_folder": JsonObject;
}

/** The limits of the user's settings that a session has beyond the general ones: folder before purpose before agent. */
export function specificLimits(
  config: LimitConfig,
  session: { readonly agentType: AgentType; readonly purpose: string | null; readonly cwd: string },
): LimitAmounts {
  const of = (limits: Json | undefined) => (limits === undefined ? {} : (readLimits(limits) ?? {}));
  const own = (group: JsonObject, name: string) => (Object.hasOwn(group, name) ? group[name] : undefined);
  const folders = Object.keys(config["session.by_folder"])
    .filter((folder) => isInside(session.cwd, wholePath(folder)))
    .sort((a, b) => wholePath(a).length - wholePath(b).length);
  return {
    ...of(own(config["session.by_agent"], session.agentType)),
    ...of(session.purpose === null ? undefined : own(config["session.by_purpose"], session.purpose)),
    ...Object.assign({}, ...folders.map((folder) => of(own(config["session.by_folder"], folder)))),
  };
}

/** Null for `none`. */
export function readAmount(kind: Kind, value: Json): number | null | undefined {
  if (value === NO_LIMIT) return null;
  const isText = typeof value === "string" || (typeof value === "number" && kind.startsWith("max_"));
  return isText ? READ[kind](String(value)) : undefined;
}

/** The lower of two, where null is no limit at all. */
export function lower(a: number | null, b: number | null | undefined): number | null {
  if (b === null || b === undefined) return a;
  return a === null ? b : Math.min(a, b);
}

/** The limits among these settings. */
export function limitsIn(settings: Readonly<Record<string, Json>>): LimitAmounts {
  const names = Object.keys(LIMIT_SETTINGS) as (keyof typeof LIMIT_SETTINGS)[];
  const given = names.filter((name) => settings[name] !== undefined);
  return Object.fromEntries(
    given.map((name) => [LIMIT_SETTINGS[name], readAmount(LIMIT_SETTINGS[name], settings[name] as Json)]),
  );
}

/** The lower one of each limit that both set. */
export function loweredBy(
  limits: LimitAmounts,
  own: Readonly<Record<string, Json>>,
  project: Readonly<Record<string, Json>>,
): Record<string, Json> {
  const entries = Object.entries(LIMIT_SETTINGS).map(([name, kind]) => {
    const amount = readAmount(kind, own[name] as Json) ?? null;
    return [name, lower(amount, limits[kind]) === amount ? own[name] : project[name]];
  });
  return Object.fromEntries(entries) as Record<string, Json>;
}

function readLimits(value: Json): LimitAmounts | undefined {
  if (!isJsonObject(value)) return undefined;
  const read: Partial<Record<Kind, number | null>> = {};
  for (const [name, given] of Object.entries(value)) {
    if (!Object.hasOwn(READ, name)) return undefined;
    const found = readAmount(name as Kind, given);
    if (found === undefined) return undefined;
    read[name as Kind] = found;
  }
  return read;
}

function readDuration(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms > 0 && ms <= LONGEST_DURATION_MS ? ms : undefined;
}

function isName(by: "agent" | "purpose" | "folder", name: string): boolean {
  if (by === "agent") return (AGENT_TYPES as readonly string[]).includes(name);
  return by === "purpose" ? name !== "" : /^(\/|~\/|~$)/.test(name);
}

function wholePath(folder: string): string {
  const path = folder.startsWith("~") ? join(homedir(), folder.slice(1)) : folder;
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
