import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { show } from "../domain/check.ts";
import { RollcallError } from "../domain/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import type { ResumePolicy } from "../domain/resume.ts";
import { parseDuration } from "../domain/time.ts";

interface Setting<T extends Json> {
  readonly default: T;
  readonly about: string;
  /** Whether a project's own file may set it. Never for what concerns commands, ports, secrets or identity. */
  readonly inProject: boolean;
  readonly valid: string;
  /** The value as it is kept, or undefined where it is not valid. */
  readonly read: (value: Json) => T | undefined;
}

const DETACH_KEYS = [..."abcdefghijklmnopqrstuvwxyz\\]^_"].map((key) => `ctrl-${key}`);

export const SETTINGS = {
  "resume.max_idle": duration("30m", "idle for so long, a session is `expired` for should-resume", true),
  "resume.max_errors": whole(3, "with this many errors a session is not resumed", true, 1),
  "cleanup.hours": whole(24, "cleanup removes what was not active for so many hours", false, 0),
  "list.limit": whole(50, "rows that `list` shows at a terminal", true, 1),
  "delegation.context_bytes": whole(
    16_384,
    "how much of the last five turns pre-delegate passes on",
    true,
    0,
  ),
  "start.ready": duration(
    "60s",
    "a session that shows nothing for so long after its start is `unknown`",
    true,
  ),
  view: word("plain", "how a session can be seen: `tmux` also opens it in Rollcall's own tmux", [
    "plain",
    "tmux",
  ]),
  "end.grace": duration("10s", "how long processes may take to leave before they are killed", true),
  "end.proof": duration("5s", "how long after the grace an end may take to be proven", true),
  "screen.quiet": duration("2s", "a screen that did not change for so long is quiet", true),
  "attach.detach_key": word("ctrl-\\", "the key that leaves an attached session", DETACH_KEYS),
  "recording.max_bytes": whole(67_108_864, "how much of each session's terminal is kept", false, 0),
  "notify.command": text(
    "",
    "run by a shell when a session begins to wait or ends; it gets the session as JSON",
    false,
    0,
  ),
  "notify.desktop": flag(true, "show a notification where there is a desktop", false),
  "observe.outside": flag(true, "show sessions of agents that were started without Rollcall, too", false),
  record_files: flag(true, "keep a readable record file of each session in its workspace", true),
  machine: text(hostname(), "the name of this computer in records", false),
  "redact.env": names([], "more environment variables whose values are secret", false),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Config = { readonly [K in SettingName]: (typeof SETTINGS)[K]["default"] };

export interface LoadedConfig {
  readonly config: Config;
  /** Settings of the project's file that only the user's own may set; they were passed over. */
  readonly ignored: readonly string[];
}

export function homeFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.ROLLCALL_HOME ? resolve(env.ROLLCALL_HOME) : join(homedir(), ".rollcall");
}

export function configPath(home: string): string {
  return join(home, "config.json");
}

/** Defaults, then the user's file, then the safe part of the project's. */
export function loadConfig(home: string, workspace: string | undefined): LoadedConfig {
  const user = readSettings(configPath(home));
  const project = workspace === undefined ? {} : readSettings(join(workspace, ".rollcall.json"));
  const ignored = Object.keys(project).filter((name) => !SETTINGS[name as SettingName].inProject);
  const allowed = Object.fromEntries(Object.entries(project).filter(([name]) => !ignored.includes(name)));
  const defaults = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
  );
  return { config: { ...defaults, ...user, ...allowed } as unknown as Config, ignored };
}

/** Writes one setting into the user's file; null takes it out. */
export function saveSetting(home: string, name: string, value: Json): void {
  const path = configPath(home);
  const settings: Record<string, Json> = { ...readSettings(path) };
  if (value === null) delete settings[checkName(name)];
  else settings[checkName(name)] = checkValue(name, value);
  try {
    if (!existsSync(home)) mkdirSync(home, { mode: 0o700 });
    const partial = `${path}.partial-${process.pid}`;
    writeFileSync(partial, `${JSON.stringify(nest(settings), null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, path);
  } catch (cause) {
    throw new RollcallError("store_unreadable", `${path} cannot be written.`, {
      hint: "Check that its folder exists and belongs to you, or choose another with ROLLCALL_HOME.",
      cause,
    });
  }
}

export function checkName(name: string): SettingName {
  if (Object.hasOwn(SETTINGS, name)) return name as SettingName;
  throw new RollcallError("bad_config", `${show(name)} is not a setting.`, {
    hint: `Valid: ${Object.keys(SETTINGS).join(", ")}.`,
  });
}

export function resumePolicyOf(config: Config): ResumePolicy {
  return { maxIdleMs: durationOf(config, "resume.max_idle"), maxErrors: config["resume.max_errors"] };
}

type DurationName = "resume.max_idle" | "start.ready" | "end.grace" | "end.proof" | "screen.quiet";

export function durationOf(config: Config, name: DurationName): number {
  return parseDuration(config[name]) as number;
}

function readSettings(path: string): Record<string, Json> {
  if (!existsSync(path)) return {};
  const parsed = parse(path);
  const settings: Record<string, Json> = {};
  for (const [name, value] of flatten(parsed)) {
    try {
      settings[checkName(name)] = checkValue(name, value);
    } catch (cause) {
      const { message, hint } = cause as RollcallError;
      throw new RollcallError("bad_config", `${path}: ${message}`, {
        ...(hint === undefined ? {} : { hint }),
        cause,
      });
    }
  }
  return settings;
}

function parse(path: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isJsonObject(parsed)) return parsed;
  } catch (cause) {
    throw new RollcallError("bad_config", `${path} is not valid JSON.`, {
      hint: "Mend it, or move it away.",
      cause,
    });
  }
  throw new RollcallError("bad_config", `${path} must hold one JSON object.`, {
    hint: "Mend it, or move it away.",
  });
}

function checkValue(name: string, value: Json): Json {
  const setting: Setting<Json> = SETTINGS[checkName(name)] as unknown as Setting<Json>;
  const read = setting.read(value);
  if (read !== undefined) return read;
  throw new RollcallError("bad_config", `${name} cannot be ${show(value)}.`, {
    hint: `It takes ${setting.valid}.`,
  });
}

function* flatten(object: JsonObject, prefix = ""): Iterable<[string, Json]> {
  for (const [key, value] of Object.entries(object)) {
    const name = `${prefix}${key}`;
    const isGroup = isJsonObject(value) && !Object.hasOwn(SETTINGS, name);
    if (isGroup && Object.keys(SETTINGS).some((known) => known.startsWith(`${name}.`)))
      yield* flatten(value, `${name}.`);
    else yield [name, value];
  }
}

function nest(settings: Readonly<Record<string, Json>>): JsonObject {
  const nested: Record<string, Json> = {};
  for (const [name, value] of Object.entries(settings)) {
    const [group, key] = name.split(".") as [string, string | undefined];
    if (key === undefined) nested[group] = value;
    else nested[group] = { ...(nested[group] as JsonObject | undefined), [key]: value };
  }
  return nested;
}

function whole(value: number, about: string, inProject: boolean, least: number): Setting<number> {
  const read = (given: Json) => {
    const number = typeof given === "string" && given !== "" ? Number(given) : given;
    return typeof number === "number" && Number.isSafeInteger(number) && number >= least ? number : undefined;
  };
  return { default: value, about, inProject, valid: `a whole number from ${least} up`, read };
}

function duration(value: string, about: string, inProject: boolean): Setting<string> {
  const read = (given: Json) =>
    typeof given === "string" && parseDuration(given) !== undefined ? given : undefined;
  return { default: value, about, inProject, valid: "a duration such as 90s, 30m or 2h", read };
}

function flag(value: boolean, about: string, inProject: boolean): Setting<boolean> {
  const read = (given: Json) => {
    if (typeof given === "boolean") return given;
    return given === "true" ? true : given === "false" ? false : undefined;
  };
  return { default: value, about, inProject, valid: "true or false", read };
}

function text(value: string, about: string, inProject: boolean, least = 1): Setting<string> {
  const read = (given: Json) =>
    typeof given === "string" && given.length >= least && given.length <= 1000 ? given : undefined;
  return { default: value, about, inProject, valid: `a text of ${least} to 1000 characters`, read };
}

function word(value: string, about: string, choices: readonly string[]): Setting<string> {
  const read = (given: Json) => choices.find((choice) => choice === given);
  return { default: value, about, inProject: false, valid: `one of ${choices.join(", ")}`, read };
}

function names(value: readonly string[], about: string, inProject: boolean): Setting<readonly string[]> {
  const read = (given: Json) => {
    const list = typeof given === "string" ? given.split(",").map((name) => name.trim()) : given;
    const isValid =
      Array.isArray(list) && list.every((name) => typeof name === "string" && /^\w{1,200}$/.test(name));
    return isValid ? (list as readonly string[]) : undefined;
  };
  return { default: value, about, inProject, valid: "names separated by commas", read };
}

export function backupFolder(home: string): string {
  return join(home, "backups");
}

export function recordingFolder(home: string, id: string): string {
  return join(home, "recordings", id);
}

/** What lives only as long as the sessions and the daemon of this state folder. */
export function runFolder(home: string): string {
  return join(home, "run");
}

/** Of one launch: its marker names it. */
export function launchFolder(home: string, marker: string): string {
  return join(runFolder(home), "sessions", marker);
}

export function storePath(home: string): string {
  return join(home, "rollcall.db");
}
