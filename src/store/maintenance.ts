import type { Json } from "../domain/json.ts";

/** Care of the store as a whole and of the record files beside it; belongs to one machine. */
export interface Maintenance {
  /** Sessions whose record file is behind their row, the newest first; `isCarried: false` leaves out those that a daemon carries. */
  laggingFiles(machine: string, limit: number, only?: { readonly isCarried: false }): Promise<string[]>;
  /** Runs `publish` unless a file of a later version is out; no two run at once for one session. */
  publishFile(sessionId: string, version: number, publish: () => void): Promise<boolean>;

  /** A verified copy of the whole store in one new file. */
  backup(path: string): Promise<BackupReport>;
  /**
   * Takes out of everything stored what `redact` takes out, in steps between which others can write. Idempotent: killed
   * in between, the next run finishes it. A dry run only counts.
   */
  redactStored(options: RedactStoredOptions): Promise<RedactedRows>;
  /** Checks everything that can be checked; problems are reported, nothing is mended. */
  verify(progress?: (done: number, of: number) => void): Promise<VerifyReport>;
}

export interface RedactStoredOptions {
  readonly redact: <T>(value: T) => T;
  readonly isDry: boolean;
  /** Writes the whole store anew at the end, without pages that may hold what was deleted; others cannot write meanwhile. */
  readonly vacuum: boolean;
  readonly progress?: (done: number, of: number) => void;
}

export interface RedactedRows {
  readonly sessions: number;
  readonly events: number;
  /** In other tables. */
  readonly rows: number;
  /** The store was written anew: no page of it holds what was written over or deleted earlier. */
  readonly isVacuumed: boolean;
}

export interface BackupReport {
  readonly path: string;
  readonly bytes: number;
  readonly sessions: number;
  readonly events: number;
}

export interface VerifyReport {
  readonly sessions: number;
  readonly events: number;
  readonly problems: readonly VerifyProblem[];
}

export interface VerifyProblem {
  readonly sessionId: string | null;
  readonly problem:
    | "engine"
    | "seq_gap"
    | "row_differs"
    | "usage_differs"
    | "corrupt"
    | "orphan_events"
    | "index_differs";
  readonly detail: Json;
}
