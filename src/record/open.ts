import { createRedactor } from "../domain/redact.ts";
import type { Channel } from "../domain/session.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { homeFolder, loadConfig, resumePolicyOf, storePath } from "./config.ts";
import { type Context, recordOf } from "./context.ts";
import { FileKeeper } from "./file-keeper.ts";
import { Rollcall } from "./rollcall.ts";
import { secretsOf } from "./secrets.ts";
import { workspaceOf } from "./workspace.ts";

export interface OpenOptions {
  /** The state folder; by default `ROLLCALL_HOME`, else `~/.rollcall`. */
  readonly home?: string;
  /** The folder that sessions are created for; by default the working folder. */
  readonly cwd?: string;
  /** What new sessions and events say they came through; by default `api`. */
  readonly channel?: Channel;
  /** Values that must never be stored, beside those found in the environment. */
  readonly secrets?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
  /** Is told what went wrong without failing anything, such as a record file that cannot be written. */
  readonly warn?: (sentence: string) => void;
  /** How long to wait for another writer before giving up. */
  readonly busyTimeoutMs?: number;
}

/** Opens the record of all sessions, makes it where there is none, and mends record files that were left behind. */
export async function openRollcall(options: OpenOptions = {}): Promise<Rollcall> {
  const { env = process.env, cwd = currentFolder(), now = Date.now, warn = warnOnStderr } = options;
  const home = options.home ?? homeFolder(env);
  const { config, ignored } = loadConfig(home, workspaceOf(cwd));
  for (const name of ignored) warn(`.rollcall.json may not set ${name}; only your own configuration can.`);
  const secrets = once(() => [...(options.secrets ?? []), ...secretsOf(config, env)]);
  const redactor = createRedactor(secrets);
  const redact = <T>(value: T) => redactor.value(value);
  const store = openSqliteStore({
    path: storePath(home),
    redact,
    ...(options.busyTimeoutMs === undefined ? {} : { busyTimeoutMs: options.busyTimeoutMs }),
  });
  const find = async (id: string) => {
    const stored = await store.find(id);
    return stored && { record: await recordOf(store, stored), version: stored.version };
  };
  const files = new FileKeeper({ store, find, warn });
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
  };
  await files.repair(config.machine);
  return new Rollcall(context);
}

/** Where the caller's folder was deleted, records can still be read. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function warnOnStderr(sentence: string): void {
  process.stderr.write(`rollcall: ${sentence}\n`);
}
