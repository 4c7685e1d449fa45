import { RollcallError } from "../domain/errors.ts";
import { once } from "../domain/once.ts";
import { createRedactor } from "../domain/redact/redact.ts";
import type { Channel } from "../domain/session/session.ts";
import { isDaemonAlive } from "../home/daemon-alive.ts";
import { homeFolder, storePath } from "../home/layout.ts";
import { secretsOf } from "../home/secrets.ts";
import { type LoadedConfig, loadConfig, resumePolicyOf } from "../home/settings.ts";
import { askerOf } from "../machine/asker.ts";
import { workspaceOf } from "../machine/workspace.ts";
import { redacting } from "../store/redacting.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { type Context, recordOf } from "./context.ts";
import { FileKeeper, PROMPT_BYTES } from "./files/file-keeper.ts";
import { Rollcall } from "./rollcall.ts";

export interface OpenOptions {
  /** The state folder; by default `ROLLCALL_HOME`, else `~/.rollcall`. */
  readonly home?: string;
  /** The folder that sessions are created for; by default the working folder. */
  readonly cwd?: string;
  /** The channel of new sessions and events; by default `api`. */
  readonly channel?: Channel;
  /** Values that must never be stored, beside those found in the environment. */
  readonly secrets?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
  /** Is told what went wrong without failing anything, such as a record file that cannot be written. */
  readonly warn?: (sentence: string) => void;
  /** How long to wait for another writer before giving up. */
  readonly busyTimeoutMs?: number;
  /** How long writes wait for another writer without blocking this process; what opens the store blocks nevertheless. */
  readonly lockPatienceMs?: number;
  /** Whether events say that this very process asked for them. */
  readonly isAsking?: boolean;
  /** Whether to go on with the user's own settings, and a warning, where the project's cannot be read. */
  readonly isProjectOptional?: boolean;
}

/** Opens the record of all sessions, makes it where there is none, and mends record files that were left behind. */
export async function openRollcall(options: OpenOptions = {}): Promise<Rollcall> {
  const rollcall = open(options, false);
  const { files, home, config } = rollcall.context;
  await files.repair(config.machine, { mostBytes: PROMPT_BYTES, isDaemonAlive: isDaemonAlive(home) });
  return rollcall;
}

/** The same for the daemon, which sees sessions change many times a second: record files follow once a second at most. */
export function openForDaemon(options: OpenOptions): Rollcall {
  const rollcall = open(options, true);
  const { files, config } = rollcall.context;
  files.repairBeside(config.machine, { mostBytes: Number.POSITIVE_INFINITY, isDaemonAlive: false });
  return rollcall;
}

function open(options: OpenOptions, isPaced: boolean): Rollcall {
  const { env = process.env, cwd = currentFolder(), now = Date.now, warn = warnOnStderr } = options;
  const home = options.home ?? homeFolder(env);
  const { config, ignored } = settingsAt(home, cwd, options.isProjectOptional === true ? warn : undefined);
  for (const name of ignored) warn(`.rollcall.json may not set ${name}; only your own configuration can.`);
  const secrets = once(() => [...(options.secrets ?? []), ...secretsOf(config, env)]);
  const redactor = createRedactor(secrets);
  const redact = <T>(value: T) => redactor.value(value);
  const engine = openSqliteStore({
    path: storePath(home),
    ...(options.busyTimeoutMs === undefined ? {} : { busyTimeoutMs: options.busyTimeoutMs }),
    ...(options.lockPatienceMs === undefined ? {} : { lockPatienceMs: options.lockPatienceMs }),
  });
  const store = redacting(engine, redact);
  const find = async (id: string) => {
    const stored = await store.find(id);
    return stored && { record: await recordOf(store, stored), version: stored.version };
  };
  const files = new FileKeeper({ store, find, warn, isPaced });
  const asker = options.isAsking ? askerOf(process.pid, env.ROLLCALL_SESSION_ID ?? null) : undefined;
  const context: Context = {
    store,
    files,
    home,
    config,
    resumePolicy: resumePolicyOf(config),
    env,
    cwd,
    now,
    redact,
    secrets,
    channel: options.channel ?? "api",
    ...(asker === undefined ? {} : { asker }),
  };
  return new Rollcall(context);
}

/** With `warnOf`, the project's file may be unfit, and is named to it. The user's own must always be readable. */
function settingsAt(
  home: string,
  cwd: string,
  warnOf: ((sentence: string) => void) | undefined,
): Pick<LoadedConfig, "config" | "ignored"> {
  try {
    return loadConfig(home, workspaceOf(cwd));
  } catch (error) {
    if (!warnOf || !(error instanceof RollcallError) || error.code !== "bad_config") throw error;
    const own = loadConfig(home, undefined);
    warnOf(`${error.message} Only your own settings count here.`);
    return own;
  }
}

/** Where the caller's folder was deleted, records can still be read. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

function warnOnStderr(sentence: string): void {
  process.stderr.write(`rollcall: ${sentence}\n`);
}
