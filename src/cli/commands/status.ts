import type { SessionRecord } from "../../domain/session.ts";
import { storePath } from "../../record/config.ts";
import { type Command, has, JSON_OPTION } from "../command.ts";
import { bytes, duration, plural } from "../format.ts";
import { findDaemon } from "../live.ts";
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
  about: "Shows whether the daemon runs, where things are, and how many sessions live. Starts nothing.",
  options: { short: { about: "one line, for a prompt or a status bar" }, json: JSON_OPTION },
  examples: [
    ["rollcall status", "all of it"],
    ["rollcall status --short", "such as `3 live, 1 waiting`"],
  ],
  async run(input, output) {
    return withRollcall(output, async (rollcall) => {
      const { home, config } = rollcall.context;
      const live = await Array.fromAsync(rollcall.list({ activeOnly: true }));
      const waiting = live.filter(isWaiting).length;
      if (has(input, "short") && !output.isJson) {
        output.line(`${live.length} live, ${waiting} waiting`);
        return 0;
      }
      using client = await findDaemon(home);
      const daemon = await client?.call<DaemonStatus>("get_status", {});
      if (output.isJson) output.json(wireOf(daemon, storePath(home), config.machine, live.length, waiting));
      else output.line(describe(daemon, storePath(home), config.machine, live.length, waiting));
      return 0;
    });
  },
};

function isWaiting({ state }: SessionRecord): boolean {
  return state === "waiting_input";
}

function wireOf(
  daemon: DaemonStatus | undefined,
  store: string,
  machine: string,
  live: number,
  waiting: number,
): object {
  const { pid = null, version = null, socket = null, ...more } = daemon ?? {};
  return {
    daemon: { running: daemon !== undefined, pid, version, socket, url: null, tokenFile: null, ...more },
    store,
    machine,
    live,
    waiting,
  };
}

function describe(
  daemon: DaemonStatus | undefined,
  store: string,
  machine: string,
  live: number,
  waiting: number,
): string {
  const about = daemon
    ? `runs (version ${daemon.version}, pid ${daemon.pid}, up ${duration(daemon.uptimeMs)}, ${bytes(daemon.memoryRssBytes)})\nlog       ${daemon.log}`
    : "does not run; the next live command starts it";
  return [
    `daemon    ${about}`,
    `sessions  ${plural(live, "session")} live, ${waiting} waiting`,
    `store     ${store}`,
    `machine   ${machine}`,
  ].join("\n");
}
