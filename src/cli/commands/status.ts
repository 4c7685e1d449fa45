import { existsSync } from "node:fs";
import type { SessionRecord } from "../../domain/session/session.ts";
import { homeFolder, storePath } from "../../home/layout.ts";
import { loadConfig } from "../../home/settings.ts";
import { bytes, duration, plural } from "../../present/format.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { ANSWER_MS, askDaemon } from "../live.ts";
import { withRollcall } from "../open.ts";

interface DaemonStatus {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
  readonly log: string;
  readonly uptimeMs: number;
  readonly memoryRssBytes: number;
}

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
    const { machine } = loadConfig(home, undefined).config;
    const live = await liveSessions(output, home);
    const waiting = live.filter(isWaiting).length;
    if (has(input, "short") && !output.isJson) {
      output.line(`${live.length} live, ${waiting} waiting`);
      return 0;
    }
    const found = await askDaemon(home);
    using client = found === "silent" ? undefined : found;
    const daemon = found === "silent" ? found : await client?.call<DaemonStatus>("get_status", {});
    if (output.isJson) output.json(wireOf(daemon, storePath(home), machine, live.length, waiting));
    else output.line(describe(daemon, storePath(home), machine, live.length, waiting));
    return daemon === "silent" ? 1 : 0;
  },
};

/** Opening a store makes it; where there is none, nothing lives. */
async function liveSessions(output: Output, home: string): Promise<readonly SessionRecord[]> {
  if (!existsSync(storePath(home))) return [];
  return withRollcall(output, async (rollcall) => Array.fromAsync(rollcall.list({ activeOnly: true })));
}

function isWaiting({ state }: SessionRecord): boolean {
  return state === "waiting_input";
}

function wireOf(
  daemon: DaemonStatus | "silent" | undefined,
  store: string,
  machine: string,
  live: number,
  waiting: number,
): object {
  const known: Partial<DaemonStatus> = daemon === "silent" ? {} : (daemon ?? {});
  const { pid = null, version = null, socket = null, ...rest } = known;
  const more = daemon === "silent" ? { isSilent: true } : rest;
  return {
    daemon: { running: daemon !== undefined, pid, version, socket, url: null, tokenFile: null, ...more },
    store,
    machine,
    live,
    waiting,
  };
}

function describe(
  daemon: DaemonStatus | "silent" | undefined,
  store: string,
  machine: string,
  live: number,
  waiting: number,
): string {
  return [
    `daemon    ${aboutDaemon(daemon)}`,
    `sessions  ${plural(live, "session")} live, ${waiting} waiting`,
    `store     ${store}`,
    `machine   ${machine}`,
  ].join("\n");
}

function aboutDaemon(daemon: DaemonStatus | "silent" | undefined): string {
  if (daemon === undefined) return "does not run; the next live command starts it";
  if (daemon === "silent")
    return `does not answer within ${ANSWER_MS / 1000} s; agents run on without it (\`rollcall doctor\` tells more)`;
  const { version, pid, uptimeMs, memoryRssBytes, log } = daemon;
  const facts = `version ${version}, pid ${pid}, up ${duration(uptimeMs)}, ${bytes(memoryRssBytes)}`;
  return `runs (${facts})\nlog       ${log}`;
}
