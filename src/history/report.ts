import type { AgentType } from "../domain/session/session.ts";
import { shortText } from "../domain/short-value.ts";
import type { ImportRoots } from "../home/import-roots.ts";

/** The result of an import. Counts of records are those that were read now. */
export interface ImportReport {
  /** Histories that were found, and how many of them had nothing new. */
  readonly found: number;
  readonly unchanged: number;
  /** Sessions that are new here, and those that went on since the last time. */
  readonly imported: number;
  readonly updated: number;
  /** Sessions that Rollcall carried itself, or that someone deleted: left as they are. */
  readonly skipped: number;
  readonly bytes: number;
  readonly records: number;
  readonly entries: number;
  readonly requests: number;
  /** Records that are no JSON, or longer than anything an agent writes. */
  readonly broken: number;
  /** How many there were of each type that was dropped, and of each that this release does not know. */
  readonly noise: readonly TypeCount[];
  readonly unknown: readonly TypeCount[];
  /** Files that could not be read, with the reason. */
  readonly failed: readonly { readonly path: string; readonly why: string }[];
  /** It was interrupted; the next import goes on. */
  readonly isStopped: boolean;
  readonly ms: number;
}

export interface TypeCount {
  readonly type: string;
  readonly count: number;
}

/** How far an import is. */
export interface ImportProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly sessions: number;
}

/** More than any release has. */
const MOST_TYPES = 100;
const MOST_TYPE_CHARS = 100;
const OTHER_TYPES = "other types";

const COUNTED = ["bytes", "records", "entries", "requests", "broken"] as const;
type Counted = (typeof COUNTED)[number];

/** Adds up what was read of one history. */
export class SourceTally {
  readonly #counts = { bytes: 0, records: 0, entries: 0, requests: 0, broken: 0 };
  readonly noise = new Map<string, number>();
  readonly unknown = new Map<string, number>();

  add(name: Counted, count = 1): void {
    this.#counts[name] += count;
  }

  /** A type may be any text, and there may be any number of them. */
  addType(is: "noise" | "unknown", type: string): void {
    const name = shortText(type, MOST_TYPE_CHARS);
    const isNamed = this[is].has(name) || this[is].size < MOST_TYPES;
    const counted = isNamed ? name : OTHER_TYPES;
    this[is].set(counted, (this[is].get(counted) ?? 0) + 1);
  }

  get counts(): Readonly<Record<Counted, number>> {
    return this.#counts;
  }
}

/** Adds up what an import does. A history that is read a second time, once its origin is found, counts once. */
export class ImportTally {
  readonly #sources = new Map<string, SourceTally>();
  /** Sessions that had a record before. */
  readonly #known = new Set<string>();
  readonly #imported = new Set<string>();
  readonly #updated = new Set<string>();
  readonly #skipped = new Set<string>();
  readonly #failed = new Map<string, string>();

  /** Counts a history from here on; what was counted of it before is forgotten. */
  begin(source: string): SourceTally {
    const tally = new SourceTally();
    this.#sources.set(source, tally);
    return tally;
  }

  addSession(sessionId: string, { isNew }: { readonly isNew: boolean }): void {
    if (isNew && !this.#known.has(sessionId)) this.#imported.add(sessionId);
    else if (!this.#imported.has(sessionId)) this.#updated.add(sessionId);
  }

  /** The record of a session is taken out, to be read again. */
  takenOut(sessionId: string): void {
    if (!this.#imported.has(sessionId)) this.#known.add(sessionId);
  }

  skip(source: string): void {
    this.#skipped.add(source);
  }

  addFailure(path: string, error: unknown): void {
    this.#failed.set(path, error instanceof Error ? error.message : String(error));
  }

  get sessions(): number {
    return this.#imported.size + this.#updated.size;
  }

  report(rest: Pick<ImportReport, "found" | "unchanged" | "isStopped" | "ms">): ImportReport {
    const sources = [...this.#sources.values()];
    const sumOf = (name: Counted) => sources.reduce((sum, { counts }) => sum + counts[name], 0);
    const sums = Object.fromEntries(COUNTED.map((name) => [name, sumOf(name)])) as Record<Counted, number>;
    return {
      ...rest,
      imported: this.#imported.size,
      updated: this.#updated.size,
      skipped: this.#skipped.size,
      ...sums,
      noise: typeCounts(sources.map(({ noise }) => noise)),
      unknown: typeCounts(sources.map(({ unknown }) => unknown)),
      failed: [...this.#failed].map(([path, why]) => ({ path, why })),
    };
  }
}

/** The most frequent first. */
function typeCounts(counts: readonly ReadonlyMap<string, number>[]): TypeCount[] {
  const sums = new Map<string, number>();
  for (const one of counts) for (const [type, count] of one) sums.set(type, (sums.get(type) ?? 0) + count);
  const list = [...sums].map(([type, count]) => ({ type, count }));
  return list.sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
}

/** The histories to import; by default those of all agents, in their own folders. */
export interface ImportOptions {
  readonly from?: AgentType;
  readonly path?: string;
  /** Instead of the agents' own folders. */
  readonly roots?: ImportRoots;
  readonly signal?: Pick<AbortSignal, "aborted">;
  /** For one that is repeated by itself. */
  readonly repeat?: RepeatOptions;
  readonly tell?: (progress: ImportProgress) => void;
}

/** An import that is made again and again beside others who read the same files. */
export interface RepeatOptions {
  /** Paths of histories that someone else follows at the moment, and native ids of their sessions. */
  readonly followed: ReadonlySet<string>;
  /** A file that changed less than so long ago, in the middle of a turn, is still written. */
  readonly settleMs: number;
  /** Histories that nobody wants, each with its size and time: not opened again before they change. */
  readonly unwanted: Map<string, string>;
}
