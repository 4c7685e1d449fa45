import { createHash } from "node:crypto";
import { archiveOriginals } from "../../history/archive/archive-originals.ts";
import { importHistory } from "../../history/import-history.ts";
import type { ImportReport } from "../../history/report.ts";
import { findSources } from "../../history/sources.ts";
import { readImportRoots } from "../../home/import-roots.ts";
import { type Config, durationOf, loadConfig } from "../../home/settings.ts";
import { openRollcall } from "../../record/open.ts";
import type { LookAnswer, LookReport, LookRequest } from "./request.ts";

/** As long as a transcript has to be silent for a session outside to be given up. */
const SETTLE_MS = 60_000;

// The program of the importer: imports what the daemon asks for, with a connection to the store of its own. Without the
// daemon it stops at the next batch and leaves.
const stop = new AbortController();
const { signal } = stop;
const unwanted = new Map<string, string>();

process.title = "rollcall-importer";
process.on("disconnect", () => {
  stop.abort();
  if (!looking) process.exit();
});
let looking: Promise<void> | undefined;

process.on("message", (request: LookRequest) => {
  looking = look(request)
    .then(
      (report) => answer({ report }),
      (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => {
      looking = undefined;
      if (signal.aborted) process.exit();
    });
});

/** A daemon that has gone meanwhile needs no answer. */
function answer(message: LookAnswer): void {
  if (process.connected) process.send?.(message, () => {});
}

let archivedMs = Number.NEGATIVE_INFINITY;

/** The files at the last look that had nothing to do, and its report: as long as they are the same, the store is not opened. */
let quiet: { readonly stamp: string; readonly report: ImportReport } | undefined;

async function look(request: LookRequest): Promise<LookReport> {
  const { home, roots, followed } = request;
  const stamp = stampOf(request);
  const isArchiving = isArchiveDue(loadConfig(home, undefined).config);
  if (quiet?.stamp === stamp && !isArchiving) return quiet.report;
  await using rollcall = await openRollcall({ home, cwd: home, channel: "api", warn: () => {} });
  const { context } = rollcall;
  const repeat = { followed: new Set(followed), settleMs: SETTLE_MS, unwanted };
  const report = await importHistory(context, { roots, repeat, signal });
  quiet = report.unchanged === report.found && !report.isStopped ? { stamp, report } : undefined;
  if (!isArchiving) return report;
  const archived = await archiveOriginals(context, { roots: readImportRoots(home), signal });
  archivedMs = performance.now();
  return { ...report, archived: archived.files, failed: [...report.failed, ...archived.failed] };
}

function stampOf({ roots, followed }: LookRequest): string {
  const hash = createHash("sha256").update(JSON.stringify(followed));
  for (const { path, sizeBytes, mtimeMs } of findSources(process.env, { roots }))
    hash.update(`${path}\n${sizeBytes} ${mtimeMs}\n`);
  return hash.digest("hex");
}

/** Not at each change: what is added in small pieces is packed badly. */
function isArchiveDue(config: Config): boolean {
  const isLongAgo = performance.now() - archivedMs >= durationOf(config, "import.interval") / 2;
  return config["archive.originals"] && isLongAgo;
}
