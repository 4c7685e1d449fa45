import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createRedactor, type Redactor } from "../../domain/redact/redact.ts";
import { isLive } from "../../domain/session/state.ts";
import { backupFolder, copyFolders, recordingFolder } from "../../home/layout.ts";
import type { Context } from "../../record/context.ts";
import { redactRecording } from "../../recording/redact-recording.ts";

const REPLACED = /\.(?:before-restore|damaged)-[^/]*$/u;

type RedactedRows = Awaited<ReturnType<Context["store"]["redactStored"]>>;

export interface RedactReport extends Omit<RedactedRows, "isVacuumed"> {
  /** The database was written anew: no page of it holds what was written over or deleted earlier. */
  readonly vacuumed: boolean;
  readonly dryRun: boolean;
  /** Secrets in recordings. */
  readonly recordings: number;
  /** Sessions that run: their recordings are being written, and were left as they are. */
  readonly skipped: readonly string[];
  /** Files that may still hold secrets and are never changed: backups, and what a restore replaced. */
  readonly backups: readonly string[];
  /** Folders with copies of agents' own files, for the same reason: a resume needs every byte of them. */
  readonly copies: readonly string[];
}

interface Options {
  readonly isDry: boolean;
  readonly vacuum: boolean;
  readonly progress: (done: number, of: number) => void;
}

/** Applies the secrets that are known now to everything that was stored before. */
export async function redactExisting(context: Context, options: Options): Promise<RedactReport> {
  const { home, store, files, config } = context;
  const redactor = createRedactor(context.secrets);
  const { isVacuumed: vacuumed, ...rows } = await store.redactStored({
    ...options,
    redact: (value) => redactor.value(value),
  });
  const { recordings, skipped } = await redactRecordings(context, redactor, options.isDry);
  if (!options.isDry)
    await files.repair(config.machine, { mostBytes: Number.POSITIVE_INFINITY, isDaemonAlive: false });
  return {
    ...rows,
    vacuumed,
    dryRun: options.isDry,
    recordings,
    skipped,
    backups: [...namesIn(backupFolder(home)), ...namesIn(home).filter((path) => REPLACED.test(path))],
    copies: copyFolders(home).filter((folder) => namesIn(folder).length > 0),
  };
}

async function redactRecordings({ home, store }: Context, redactor: Redactor, isDry: boolean) {
  const skipped: string[] = [];
  let recordings = 0;
  for (const path of namesIn(join(home, "recordings"))) {
    const id = path.slice(path.lastIndexOf("/") + 1);
    const row = await store.findRow(id);
    if (row && isLive(row.state)) skipped.push(id);
    else recordings += redactRecording(recordingFolder(home, id), redactor, { isDry });
  }
  return { recordings, skipped };
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
