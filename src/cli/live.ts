import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Client, connectDaemon, type Verb } from "../client/client.ts";
import { type DaemonOptions, ensureDaemon } from "../client/start-daemon.ts";
import { RollcallError } from "../domain/errors.ts";
import type { ProcessIdentity, SessionRow } from "../domain/session/session.ts";
import { LIVE_STATES } from "../domain/session/state.ts";
import { LONGEST_DURATION_MS, parseDuration } from "../domain/time.ts";
import { launchFolder } from "../home/launch-folder.ts";
import { runFolder } from "../home/layout.ts";
import { NO_LIMIT } from "../home/setting.ts";
import { isProcessAlive } from "../machine/process.ts";
import type { OpenOptions } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { refuseSubagent } from "../record/subagent-error.ts";
import { type Input, optionOf } from "./framework/command.ts";
import { forEach } from "./framework/for-each.ts";
import type { Output } from "./framework/output.ts";
import { withRollcall } from "./open.ts";

/** The store for names and records, and the daemon for what lives; it is started when it is not there. */
export async function withDaemon<T>(
  output: Output,
  work: (client: Client, rollcall: Rollcall) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const withClient = async (rollcall: Rollcall) => {
    using client = await ensureDaemon(daemonOptions(rollcall.context.home));
    return await work(client, rollcall);
  };
  return withRollcall(output, withClient, options);
}

export function daemonOptions(home: string): DaemonOptions {
  return {
    home,
    folder: runFolder(home),
    env: process.env,
    program: join(binFolder(), "rollcall-daemon.cjs"),
  };
}

export async function findDaemon(home: string): Promise<Client | undefined> {
  return connectDaemon(runFolder(home));
}

/** How long a daemon that is well may take to say who it is. */
export const ANSWER_MS = 3000;

/** For status checks: gives up soon if the daemon accepts the connection but never greets. */
export async function askDaemon(home: string): Promise<Client | "silent" | undefined> {
  try {
    return await connectDaemon(runFolder(home), ANSWER_MS);
  } catch (error) {
    if (error instanceof RollcallError && error.code === "daemon_failed") return "silent";
    throw error;
  }
}

/** On a busy machine, with the last of what many sessions said to write, a minute is not out of reach. */
const LEAVING_MS = 60_000;

/** Waits until the daemon's process itself is gone, not only its socket. */
export async function daemonGone(daemon: ProcessIdentity): Promise<void> {
  for (let waitedMs = 0; isProcessAlive(daemon); waitedMs += 10) {
    if (waitedMs >= LEAVING_MS)
      throw new RollcallError("daemon_failed", `The daemon (pid ${daemon.pid}) does not leave.`, {
        hint: "Its log is daemon.log in the state folder.",
      });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Where Rollcall's own programs are, whichever link it was called by. */
export function binFolder(): string {
  return dirname(realpathSync(process.argv[1] as string));
}

export function nativeProgram(name: "rollcall-holder" | "rollcall-attach"): string {
  return join(binFolder(), "..", "dist", "native", name);
}

export interface Acted {
  readonly sessionId: string;
  readonly seq: number;
}

/** One verb on one session that answers only that it was done. */
export async function act(
  output: Output,
  reference: string,
  operation: Verb,
  { input = {}, said }: { readonly input?: object; readonly said: string },
): Promise<number> {
  return withDaemon(output, async (client, rollcall) => {
    const sessionId = await rollcall.resolve(reference);
    const done = await client.call<Acted>(operation, { sessionId, channel: "cli", ...input });
    if (output.isJson) output.json(done);
    else output.line(`${said} ${sessionId}.`);
    return 0;
  });
}

/** The same for verbs that take several sessions. */
export async function actOnEach(
  output: Output,
  references: readonly string[],
  operation: Verb,
  said: string,
): Promise<number> {
  return withDaemon(output, (client, rollcall) =>
    forEach(rollcall, output, references, {
      work: async (sessionId) => ({
        result: await client.call<Acted>(operation, { sessionId, channel: "cli" }),
        code: 0,
      }),
      describe: ({ sessionId }) => `${said} ${sessionId}.`,
    }),
  );
}

/** Sessions that Rollcall carries here and whose end is not known; a silent one may still have its process. */
export async function allCarried(rollcall: Rollcall): Promise<string[]> {
  const { store, config, home } = rollcall.context;
  const states = [...LIVE_STATES, "unknown" as const];
  const { items } = await store.list({ states, origins: ["started"], machine: config.machine, limit: 0 });
  const isThere = ({ state, carried }: SessionRow) =>
    state !== "unknown" || (carried !== null && existsSync(launchFolder(home, carried.launch.marker)));
  return items.filter(({ row }) => isThere(row)).map(({ row }) => row.id);
}

export function durationOption(input: Input, name: string): number | undefined {
  const text = optionOf(input, name);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && (ms > 0 || name === "grace") && ms <= LONGEST_DURATION_MS) return ms;
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a duration for --${name}.`, {
    hint: "Write 500ms, 90s, 30m or 2h, at most 365d.",
  });
}

/** Null for `none`, which lifts what the settings say. */
export function limitOption(input: Input, name: string): number | null | undefined {
  return optionOf(input, name) === NO_LIMIT ? null : durationOption(input, name);
}

/** The row of a session whose process Rollcall carries, and the folder of its launch. */
export async function launchOf(
  rollcall: Rollcall,
  id: string,
): Promise<{ readonly row: SessionRow; readonly folder: string }> {
  const row = (await rollcall.context.store.find(id))?.row;
  if (row?.carried) return { row, folder: launchFolder(rollcall.context.home, row.carried.launch.marker) };
  if (row) refuseSubagent(row);
  throw new RollcallError("not_carried", `Session ${id} is only a record; it has no terminal here.`);
}
