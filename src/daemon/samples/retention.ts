import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import { isEnded } from "../../domain/session/state.ts";
import { type Instant, toInstant } from "../../domain/time.ts";
import { ceilingUse } from "../../home/ceiling.ts";
import { recordingFolder } from "../../home/layout.ts";
import { type Config, limitOf } from "../../home/settings.ts";
import { cleanUp } from "../../record/cleanup.ts";
import type { Context } from "../../record/context.ts";
import { removeOriginals } from "./remove-originals.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Once an hour, nobody waits for it. */
const LOOK_MS = 10_000;

/** Applies `retention.*` once an hour, the first time soon after the start. Settings are read anew each time. */
export class Retention implements Disposable {
  readonly #context: Context;
  readonly #config: () => Config;
  readonly #log: Logger;
  #timer: NodeJS.Timeout;

  constructor(context: Context, config: () => Config, log: Logger) {
    this.#context = context;
    this.#config = config;
    this.#log = log;
    this.#timer = this.#applyIn(2 * MINUTE_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #applyIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#applyIn(HOUR_MS);
      void this.#apply().catch((err: unknown) => this.#log.warn({ err }, "retention was not applied"));
    }, ms).unref();
  }

  async #apply(): Promise<void> {
    const config = this.#config();
    const removed = await applyRetention(this.#context, config);
    if (removed.sessions + removed.recordings + removed.originals > 0) this.#log.info(removed, "retention");
    const use = await ceilingUse(this.#context.home, config, { mostMs: LOOK_MS });
    if (use && use.level !== "below") this.#log.warn(use, "the state folder is near or over its ceiling");
  }
}

interface Removed {
  readonly sessions: number;
  readonly recordings: number;
  readonly originals: number;
}

/** Removes what is older than the settings allow, never anything of a session that lives; says how much. */
export async function applyRetention(context: Context, config: Config): Promise<Removed> {
  const recordingsMs = limitOf(config, "retention.recordings");
  const sessions =
    (await removeOldSessions(context, limitOf(config, "retention.sessions"), { imported: false })) +
    (await removeOldSessions(context, limitOf(config, "retention.imported"), { imported: true }));
  const old = recordingsMs === null ? 0 : await removeOldRecordings(context, recordingsMs);
  const originalsMs = limitOf(config, "retention.originals");
  const originals = originalsMs === null ? 0 : removeOriginals(context, originalsMs);
  return { sessions, recordings: old + (await keepBelowCeiling(context, config)), originals };
}

async function removeOldSessions(
  context: Context,
  olderMs: number | null,
  of: { readonly imported: boolean },
): Promise<number> {
  if (olderMs === null) return 0;
  return (await cleanUp(context, { hours: olderMs / HOUR_MS, ...of })).removed.length;
}

async function removeOldRecordings(context: Context, olderMs: number): Promise<number> {
  const until = toInstant(context.now() - olderMs);
  const old = (await endedRecordings(context)).filter(({ endedAt }) => endedAt < until);
  for (const { folder } of old) rmSync(folder, { recursive: true, force: true });
  return old.length;
}

/** Records and transcripts are never removed for their size. */
async function keepBelowCeiling(context: Context, config: Config): Promise<number> {
  const use = await ceilingUse(context.home, config, { mostMs: LOOK_MS });
  if (use?.level !== "over") return 0;
  let excess = use.bytes - use.ceilingBytes;
  let removed = 0;
  for (const { folder } of await endedRecordings(context)) {
    if (excess <= 0) break;
    excess -= sizeOf(folder);
    rmSync(folder, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

interface EndedRecording {
  readonly folder: string;
  readonly endedAt: Instant;
}

/** Recordings of sessions that have ended, the longest ago first. */
async function endedRecordings({ home, store }: Context): Promise<readonly EndedRecording[]> {
  const found: EndedRecording[] = [];
  for (const id of namesIn(join(home, "recordings"))) {
    const row = await store.findRow(id);
    if (row && isEnded(row.state) && row.endedAt !== null)
      found.push({ folder: recordingFolder(home, id), endedAt: row.endedAt });
  }
  return found.sort((a, b) => (a.endedAt < b.endedAt ? -1 : 1));
}

/** A recording is a folder of files. */
function sizeOf(folder: string): number {
  const sizes = namesIn(folder).map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size);
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
