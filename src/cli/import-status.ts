import { plural } from "../present/format.ts";
import { printable } from "../present/text.ts";

/** The histories that the daemon goes on with after the first import, as it tells. */
export interface ImportStatus {
  readonly isFollowing: boolean;
  readonly lastAt: string | null;
  readonly found: number | null;
  readonly failed: readonly { readonly path: string; readonly why: string }[];
  /** Why the last look did not come to its end. */
  readonly error: string | null;
  readonly imported: number;
  readonly updated: number;
}

/** When it looked last, and what it found, in one line. */
export function describeImport({ lastAt, found, failed, error, imported, updated }: ImportStatus): string {
  if (error !== null) return `does not work: ${printable(error)}`;
  if (lastAt === null || found === null) return "looks for the first time";
  const [first] = failed;
  const trouble = first
    ? `; ${plural(failed.length, "file")} not read, such as ${printable(`${first.path}: ${first.why}`)}`
    : "";
  return `${plural(found, "history file")} at ${lastAt}, ${imported} new and ${updated} gone on since the start${trouble}`;
}
