import type { ImportReport } from "../../history/report.ts";
import type { ImportRoots } from "../../home/import-roots.ts";

/** One look at the histories, as the daemon asks its importer for it. */
export interface LookRequest {
  readonly home: string;
  readonly roots: ImportRoots;
  /** Paths and native ids of what the daemon follows itself. */
  readonly followed: readonly string[];
}

export interface LookReport extends ImportReport {
  /** Files of which something was copied; left out where none were looked at. */
  readonly archived?: number;
}

export type LookAnswer = { readonly report: LookReport } | { readonly error: string };
