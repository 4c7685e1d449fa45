import { existsSync } from "node:fs";
import type { Client } from "../../client/client.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { type CeilingUse, ceilingUse } from "../../home/ceiling.ts";
import { homeFolder, storePath } from "../../home/layout.ts";
import { loadConfig } from "../../home/settings.ts";
import { bytes, duration, plural } from "../../present/format.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { describeImport, type ImportStatus } from "../import-status.ts";
import { ANSWER_MS, askDaemon } from "../live.ts";
import { withRollcall } from "../open.ts";

interface DaemonStatus {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
  readonly log: string;
  readonly uptimeMs: number;
  readonly memoryRssBytes: number;
  readonly import: ImportStatus;
}

/** For the sizes of all files. */
const MOST_MS = 1000;

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Shows whether the daemon runs, where things are, and how many sessions live. Starts and creates nothing.",
  options: { short: { about: "one line, for a prompt or a status bar" }, json: JSON_OPTION },
  examples: [
    ["rollcall status", "all of it"],
    ["rollcall status --short", "such as `3 live, 1 waiting`"],
  ],
  async run(input, output) {
    const home = homeFolder();
    const { config } = loadConfig(home, undefined);
    const { machine } = config;
    const live = await liveSessions(output, home);
    const waiting = live.filter(isWaiting).length;
    if (has(input, "short") && !output.isJson) {
      output.line(`${live.length} live, ${waiting} waiting`);
      return 0;
    }
    const found = await askDaemon(home);
    using client = found === "silent" ? undefined : found;
    const daemon = found === "silent" ? found : client && (await statusOf(client));
    const size = await ceilingUse(home, config, { mostMs: MOST_MS });
    const facts = { store: storePath(home), machine, live: live.length, waiting, size };
    if (output.isJson) output.json(wireOf(daemon, facts));
    else output.line(describe(daemon, facts));
    return daemon === "silent" ? 1 : 0;
  },
};

/** Undefined for a daemon that leaves before it answers: none runs any more. */
async function statusOf(client: Client): Promise<DaemonStatus | undefined> {
  try {
    return await client.call<DaemonStatus>("get_status", {});
  } catch (error) {
    if (error instanceof RollcallError && error.code === "daemon_failed") return undefined;
    throw error;
  }
}

/** Opening a store makes it; where there is none, nothing lives. */
async function liveSessions(output: Output, home: string): Promise<readonly SessionRecord[]> {
  if (!existsSync(storePath(home))) return [];
  return withRollcall(output, async (rollcall) => Array.fromAsync(rollcall.list({ activeOnly: true })));
}

function isWaiting({ state }: SessionRecord): boolean {
  return state === "waiting_input";
}

interface Facts {
  readonly store: string;
  readonly machine: string;
  readonly live: number;
  readonly waiting: number;
  /** Where a ceiling is set. */
  readonly size: CeilingUse | undefined;
}

function wireOf(daemon: DaemonStatus | "silent" | undefined, { size, ...facts }: Facts): object {
  const known: Partial<DaemonStatus> = daemon === "silent" ? {} : (daemon ?? {});
  const { pid = null, version = null, socket = null, ...rest } = known;
  const more = daemon === "silent" ? { isSilent: true } : rest;
  return {
    daemon: { running: daemon !== undefined, pid, version, socket, url: null, tokenFile: null, ...more },
    ...facts,
    size: size ?? null,
  };
}

function describe(
  daemon: DaemonStatus | "silent" | undefined,
  { store, machine, live, waiting, size }: Facts,
): string {
  return [
    `daemon    ${aboutDaemon(daemon)}`,
    `sessions  ${plural(live, "session")} live, ${waiting} waiting`,
    `store     ${store}`,
    ...(size === undefined ? [] : [`size      ${aboutSize(size)}`]),
    `machine   ${machine}`,
  ].join("\n");
}

function aboutSize({ bytes: used, ceilingBytes, level }: CeilingUse): string {
  const sum = `${bytes(used)} of ${bytes(ceilingBytes)} (retention.ceiling)`;
  return level === "below" ? sum : `${sum}: ${level} the ceiling; \`rollcall doctor\` tells more`;
}

function aboutDaemon(daemon: DaemonStatus | "silent" | undefined): string {
  if (daemon === undefined)
    return process.env.ROLLCALL_SESSION_ID
      ? "does not run, and a session cannot start it (`rollcall up` in a terminal of your own does)"
      : "does not run; the next live command starts it";
  if (daemon === "silent")
    return `does not answer within ${ANSWER_MS / 1000} s; agents run on without it (\`rollcall doctor\` tells more)`;
  const { version, pid, uptimeMs, memoryRssBytes, log, import: imports } = daemon;
  const facts = `version ${version}, pid ${pid}, up ${duration(uptimeMs)}, ${bytes(memoryRssBytes)}`;
  return `runs (${facts})\nlog       ${log}\nimport    ${aboutImport(imports)}`;
}

/** A daemon of an earlier release does not say. */
function aboutImport(status: ImportStatus | undefined): string {
  if (!status?.isFollowing) return "follows nothing (`rollcall import` once, and setting import.follow)";
  return describeImport(status);
}
