import type { Json } from "../domain/json.ts";

/** Care of the store as a whole and of the record files beside it; belongs to one machine. */
export interface Maintenance {
  /** Sessions whose record file is behind their row, the newest first; `isCarried: false` leaves out those that a daemon carries. */
  laggingFiles(machine: string, limit: number, only?: { readonly isCarried: false }): Promise<string[]>;
  /** Runs `publish` unless a file of a later version is out; no two run at once for one session. */
  publishFile(sessionId: string, version: number, publish: () => void): Promise<boolean>;

  /** A verified copy of the whole store in one new file. */
  backup(path: string): Promise<BackupReport>;
  /** Checks everything that can be checked; problems are reported, nothing is mended. */
  verify(progress?: (done: number, of: number) => void): Promise<VerifyReport>;
  size(): Promise<{ readonly bytes: number; readonly sessions: number; readonly events: number }>;
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
