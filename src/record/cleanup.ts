import { RollcallError } from "../domain/errors.ts";
import type { Origin, SessionRow } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import { type Instant, toInstant } from "../domain/time.ts";
import { isProcessAlive } from "../machine/process.ts";
import { type Context, nowOf } from "./context.ts";
import { removeFiles } from "./files/remove-files.ts";

export interface CleanupOptions {
  /** Sessions that were not active for so long are old; by default as configured, 24. */
  readonly hours?: number;
  readonly dryRun?: boolean;
  /** Removes what was imported instead of what was created or started here. */
  readonly imported?: boolean;
  readonly progress?: (removed: number) => void;
}

export interface CleanupReport {
  readonly removed: readonly string[];
  readonly dryRun: boolean;
}

const OURS: readonly Origin[] = ["created", "upserted", "started", "subagent"];
const FOREIGN: readonly Origin[] = ["imported", "observed"];
const CHUNK = 200;

/** Removes old sessions, with all that belongs to them, for which no living process can be shown. */
export async function cleanUp(context: Context, options: CleanupOptions): Promise<CleanupReport> {
  const { hours = context.config["cleanup.hours"], dryRun = false } = options;
  if (!Number.isFinite(hours) || hours < 0) {
    throw new RollcallError("bad_input", `${hours} is not a number of hours.`, {
      hint: "Give a number from 0 up.",
    });
  }
  const until = toInstant(context.now() - hours * 3_600_000);
  const removed: string[] = [];
  for await (const rows of oldRows(context, until, options.imported ? FOREIGN : OURS)) {
    removed.push(...(dryRun ? rows.map(({ id }) => id) : await removeAll(context, rows, until)));
    options.progress?.(removed.length);
  }
  return { removed, dryRun };
}

async function* oldRows(
  context: Context,
  until: Instant,
  origins: readonly Origin[],
): AsyncIterable<SessionRow[]> {
  const query = { activeUntil: until, origins, limit: CHUNK, where: (row: SessionRow) => !hasProcess(row) };
  let cursor: string | undefined;
  do {
    const page = await context.store.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    yield page.items.map(({ row }) => row);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

function hasProcess(row: SessionRow): boolean {
  if (row.process !== null && isProcessAlive(row.process)) return true;
  return (row.origin === "started" || row.origin === "subagent") && isLive(row.state);
}

/** One that came to life since it was listed stays. */
async function removeAll(context: Context, rows: readonly SessionRow[], until: Instant): Promise<string[]> {
  const isStillOld = (row: SessionRow) => row.lastActiveAt < until && !hasProcess(row);
  const removed = await context.store.remove(
    rows.map(({ id }) => id),
    nowOf(context),
    isStillOld,
  );
  const gone = new Set(removed);
  for (const row of rows) if (gone.has(row.id)) removeFiles(context.home, row);
  return removed;
}
