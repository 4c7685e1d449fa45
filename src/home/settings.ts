import { existsSync, mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { parseByteSize } from "../domain/byte-size.ts";
import { show } from "../domain/check.ts";
import { RollcallError } from "../domain/errors.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../domain/json.ts";
import type { Limit } from "../domain/limits/limit.ts";
import { type PriceOverrides, readModelPrices } from "../domain/price.ts";
import type { ResumePolicy } from "../domain/session/resume.ts";
import { parseDuration } from "../domain/time.ts";
import { readForeignText, UnfitFileError } from "../machine/foreign-file.ts";
import { replaceFile } from "../machine/replace-file.ts";
import { configPath } from "./layout.ts";
import {
  amount,
  LIMIT_SETTINGS,
  type LimitAmounts,
  limitsBy,
  limitsIn,
  lower,
  loweredBy,
  readAmount,
  specificLimits,
} from "./limit-settings.ts";
import {
  byteSize,
  duration,
  flag,
  interval,
  limit,
  names,
  prices,
  type Setting,
  size,
  text,
  whole,
  word,
} from "./setting.ts";
import { flatten, nest } from "./setting-groups.ts";
import { checkStateFolder } from "./state-folder.ts";

const MOST_BYTES = 1024 * 1024;
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
  "session.timeout": limit("a session is ended after so long; `start --timeout` wins", true),
  "session.idle_timeout": limit(
    "a session in which nothing happened for so long is ended; `start --idle-timeout` wins",
    true,
  ),
  "session.max_cost": amount(
    "max_cost",
    "a session is ended when it and all below it cost so many dollars; `start --max-cost` wins",
  ),
  "session.max_tokens": amount(
    "max_tokens",
    "a session is ended when it and all below it used so many tokens; `start --max-tokens` wins",
  ),
  "session.by_agent": limitsBy(
    "agent",
    "limits of sessions by agent type, as JSON; they win over the general ones",
  ),
  "session.by_purpose": limitsBy(
    "purpose",
    "limits of sessions by purpose, as JSON; they win over those by agent",
  ),
  "session.by_folder": limitsBy(
    "folder",
    "limits of sessions by folder, as JSON; they win over those by purpose",
  ),
  "wait.timeout": limit("`wait` gives up after so long; `wait --timeout` wins", false),
  "data.max_bytes": whole(48_000, "the most that `data` answers with", false, 1000, 1_000_000),
  "terminal.size": size("120x40", "columns and rows of a terminal until someone attaches", true),
  view: word("plain", "how a session can be seen: `tmux` also opens it in Rollcall's own tmux", [
    "plain",
    "tmux",
  ]),
  "end.grace": duration("10s", "how long processes may take to leave before they are killed", true),
  "end.proof": duration("5s", "how long after the grace an end may take to be proven", true),
  "screen.quiet": duration("2s", "a screen that did not change for so long is quiet", true),
  "attach.detach_key": word("ctrl-\\", "the key that leaves an attached session", DETACH_KEYS),
  "recording.max_bytes": whole(67_108_864, "how much of each session's terminal is kept", false, 0),
  "retention.sessions": limit(
    "the daemon removes what was not active for so long, as `cleanup` does; none: nothing",
    false,
  ),
  "retention.imported": limit("the same for what was imported; none: nothing", false),
  "retention.recordings": limit(
    "the daemon removes recordings of sessions that ended so long ago; none: nothing",
    false,
  ),
  "retention.originals": limit(
    "the daemon removes copies of agents' files that were not written for so long; none: nothing",
    false,
  ),
  "retention.ceiling": byteSize(
    "the most that the state folder should have, such as 20GB: `doctor` and `status` warn from 80 % on, and beyond it the daemon removes recordings, those of sessions that ended longest ago first; none: no ceiling",
  ),
  "samples.active": interval(
    "2s",
    "how often CPU, memory and IO of a session that does something are measured",
  ),
  "samples.quiet": interval("15s", "how often those of a quiet session are measured"),
  "samples.workspace": interval("60s", "how often the size of a workspace is measured at most"),
  "notify.command": text(
    "",
    "run by a shell when a session begins to wait or ends; it gets the session as JSON",
    false,
    0,
  ),
  "notify.desktop": flag(true, "show a notification where there is a desktop", false),
  "observe.outside": flag(true, "show sessions of agents that were started without Rollcall, too", false),
  "import.follow": flag(
    true,
    "the daemon goes on with what was imported once: what grows and what is new",
    false,
  ),
  "import.interval": interval("30s", "how often the daemon looks for histories that grew or are new"),
  "archive.originals": flag(
    false,
    "keep a compressed copy of the files of agents' conversations, unredacted, so that a resume needs no other",
    false,
  ),
  record_files: flag(true, "keep a readable record file of each session in its workspace", true),
  machine: text(hostname(), "the name of this computer in records", false),
  "redact.env": names([], "more environment variables whose values are secret", false),
  prices: prices("your own prices by model, as JSON; they win over those that come with Rollcall"),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Config = { readonly [K in SettingName]: (typeof SETTINGS)[K]["default"] };

export interface LoadedConfig {
  readonly config: Config;
  /** Settings of the project's file that only the user's own may set; they were passed over. */
  readonly ignored: readonly string[];
  /** The limits that the project's file sets; it can only lower those of the user. */
  readonly projectLimits: LimitAmounts;
}

/**
 * Defaults, then the user's file, then the safe part of the project's. Settings name commands that are run: none are
 * read from a state folder that others can write to.
 */
export function loadConfig(home: string, workspace: string | undefined): LoadedConfig {
  checkStateFolder(home);
  const user = readSettings(configPath(home));
  const project = workspace === undefined ? {} : readSettings(join(workspace, ".rollcall.json"));
  const ignored = Object.keys(project).filter((name) => !SETTINGS[name as SettingName].inProject);
  const allowed = Object.fromEntries(Object.entries(project).filter(([name]) => !ignored.includes(name)));
  const defaults = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
  );
  const projectLimits = limitsIn(allowed);
  const lowered = loweredBy(projectLimits, { ...defaults, ...user }, allowed);
  return {
    config: { ...defaults, ...user, ...allowed, ...lowered } as unknown as Config,
    ignored,
    projectLimits,
  };
}

/** The limits of a session by the settings: the most specific of the user's, as far as the project does not lower it. */
export function limitsOf(
  { config, projectLimits }: Pick<LoadedConfig, "config" | "projectLimits">,
  session: Parameters<typeof specificLimits>[1],
): Readonly<Record<Limit["kind"], number | null>> {
  const specific = specificLimits(config, session);
  const amounts = Object.entries(LIMIT_SETTINGS).map(([name, kind]) => {
    const general = readAmount(kind, config[name as keyof typeof LIMIT_SETTINGS]) ?? null;
    const own = specific[kind];
    return [kind, own === undefined ? general : lower(own, projectLimits[kind])];
  });
  return Object.fromEntries(amounts) as Record<Limit["kind"], number | null>;
}

/** The user's own prices. What the file says was checked when it was read. */
export function priceOverridesOf(config: Config): PriceOverrides {
  const read = Object.entries(config.prices).map(([model, value]) => [model, readModelPrices(value)]);
  return Object.fromEntries(read) as PriceOverrides;
}

/** Writes one setting into the user's file; null takes it out. */
export function saveSetting(home: string, name: string, value: Json): void {
  checkStateFolder(home);
  const path = configPath(home);
  const settings: Record<string, Json> = { ...readSettings(path) };
  if (value === null) delete settings[checkName(name)];
  else settings[checkName(name)] = checkValue(name, value);
  try {
    if (!existsSync(home)) mkdirSync(home, { mode: 0o700 });
    replaceFile(path, `${JSON.stringify(nest(settings), null, 2)}\n`, 0o600);
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

type DurationName =
  | "resume.max_idle"
  | "start.ready"
  | "end.grace"
  | "end.proof"
  | "screen.quiet"
  | "samples.active"
  | "samples.quiet"
  | "samples.workspace"
  | "import.interval";

export function durationOf(config: Config, name: DurationName): number {
  return parseDuration(config[name]) as number;
}

type LimitName = `retention.${"sessions" | "imported" | "recordings" | "originals"}` | "wait.timeout";

/** Null where there is none. */
export function limitOf(config: Config, name: LimitName): number | null {
  return parseDuration(config[name]) ?? null;
}

/** Null where there is none. */
export function ceilingOf(config: Config): number | null {
  return parseByteSize(config["retention.ceiling"]) ?? null;
}

export function terminalSizeOf(config: Config): { readonly cols: number; readonly rows: number } {
  const [cols, rows] = config["terminal.size"].split("x").map(Number) as [number, number];
  return { cols, rows };
}

function readSettings(path: string): Record<string, Json> {
  if (!existsSync(path)) return {};
  const parsed = parse(path);
  const settings: Record<string, Json> = {};
  for (const [name, value] of flatten(parsed, Object.keys(SETTINGS))) {
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
    const parsed = parseJson(readForeignText(path, MOST_BYTES));
    if (isJsonObject(parsed)) return parsed;
  } catch (cause) {
    const message = cause instanceof UnfitFileError ? cause.message : `${path} is not valid JSON.`;
    throw new RollcallError("bad_config", message, { hint: "Mend it, or move it away.", cause });
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
