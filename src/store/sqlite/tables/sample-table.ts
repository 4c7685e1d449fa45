import type { Database } from "better-sqlite3";
import { addSample, mergeSamples, NO_SAMPLES, type Sample, type SampleSums } from "../../../domain/sample.ts";
import { type Instant, toInstant } from "../../../domain/time.ts";
import type { SessionSample } from "../../observations.ts";
import { LazyStatement } from "./lazy-statement.ts";

/** In the order of the columns, which have the same names. */
const FIELDS = [
  "cpuPercent",
  "memoryRssBytes",
  "memoryVszBytes",
  "ioReadBytes",
  "ioWriteBytes",
  "ioReadChars",
  "ioWriteChars",
  "processes",
  "workspaceBytesUsed",
] as const;

const COLUMNS = ["at", "over_ms", ...FIELDS.map(snakeCase)] as const;

type Value = number | null;

/** A place among all samples: up to here they are thinned. */
export interface ThinPlace {
  readonly session: number;
  readonly at: number;
}

/** So many samples are made into fewer in one transaction: others wait for no more than that. */
const CHUNK = 5000;

const FOREVER = Number.MAX_SAFE_INTEGER;

/** Samples in columns, times as numbers; the sums over the life of a session stand apart, and know no thinning. */
export class SampleTable {
  readonly #insert: LazyStatement<Value[]>;
  readonly #range: LazyStatement<[string, number, number], Value[]>;
  readonly #chunk: LazyStatement<[number, number, number, number], Value[]>;
  readonly #delete: LazyStatement<[number, number, number]>;
  readonly #sums: LazyStatement<[number], SampleSums>;
  readonly #sumsById: LazyStatement<[string], SampleSums>;
  readonly #setSums: LazyStatement<Value[]>;
  readonly #next: LazyStatement<[number, number, number], { readonly session: number }>;
  readonly #thinned: LazyStatement<[number], { readonly until: number }>;
  readonly #beginThinning: LazyStatement<[number, number, number]>;
  readonly #endThinning: LazyStatement<[number]>;
  readonly #noteLate: LazyStatement<[number, number, number]>;

  constructor(db: Database) {
    const columns = COLUMNS.join(", ");
    const asValues = { asValues: true };
    this.#insert = new LazyStatement(
      db,
      `INSERT INTO samples (session, ${columns}) VALUES (?, ${COLUMNS.map(() => "?").join(", ")})
       ON CONFLICT DO NOTHING`,
    );
    this.#range = new LazyStatement(
      db,
      `SELECT ${columns} FROM samples WHERE session = (SELECT no FROM sessions WHERE id = ?)
       AND at >= ? AND at < ? ORDER BY at`,
      asValues,
    );
    this.#chunk = new LazyStatement(
      db,
      `SELECT ${columns} FROM samples WHERE session = ? AND at >= ? AND at < ? ORDER BY at LIMIT ?`,
      asValues,
    );
    this.#delete = new LazyStatement(db, "DELETE FROM samples WHERE session = ? AND at >= ? AND at <= ?");
    const sums = `SELECT samples, cpu_percent_ms AS cpuPercentMs, measured_ms AS measuredMs,
         peak_memory_rss_bytes AS peakMemoryRssBytes FROM sample_sums WHERE session =`;
    this.#sums = new LazyStatement(db, `${sums} ?`);
    this.#sumsById = new LazyStatement(db, `${sums} (SELECT no FROM sessions WHERE id = ?)`);
    this.#setSums = new LazyStatement(
      db,
      `INSERT INTO sample_sums VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),
         samples = excluded.samples, cpu_percent_ms = excluded.cpu_percent_ms,
         measured_ms = excluded.measured_ms, peak_memory_rss_bytes = excluded.peak_memory_rss_bytes`,
    );
    this.#next = new LazyStatement(
      db,
      `SELECT session FROM sample_sums WHERE session >= ? AND last_at >= ? AND first_at < ?
       ORDER BY session LIMIT 1`,
    );
    this.#thinned = new LazyStatement(
      db,
      "SELECT min(until, coalesce(late, until)) AS until FROM thinned WHERE step_ms = ?",
    );
    this.#beginThinning = new LazyStatement(
      db,
      "INSERT OR REPLACE INTO thinned (step_ms, until, target, late) VALUES (?, ?, ?, NULL)",
    );
    this.#endThinning = new LazyStatement(
      db,
      "UPDATE thinned SET until = min(target, coalesce(late, target)), late = NULL WHERE step_ms = ?",
    );
    this.#noteLate = new LazyStatement(
      db,
      "UPDATE thinned SET late = min(coalesce(late, ?), ?) WHERE target > ?",
    );
  }

  /** Adds samples to a session, in order of time; returns the sums over its life. */
  add(sessionNo: number, samples: readonly Sample[]): SampleSums {
    const before = this.#sums.get(sessionNo) ?? NO_SAMPLES;
    const added = samples.filter((sample) => this.#insert.run(sessionNo, ...valuesOf(sample)).changes > 0);
    const sums = added.reduce(addSample, before);
    const [first, last] = [added.at(0), added.at(-1)];
    if (first && last) {
      const { samples: count, cpuPercentMs, measuredMs, peakMemoryRssBytes } = sums;
      const times = [Date.parse(first.at), Date.parse(last.at)];
      this.#setSums.run(sessionNo, ...times, count, cpuPercentMs, measuredMs, peakMemoryRssBytes);
    }
    return sums;
  }

  /** Samples of a time that was thinned, or is just being thinned, are taken in by the next thinning. */
  noteLate(batch: readonly SessionSample[]): void {
    const first = batch.reduce((least, { sample }) => Math.min(least, Date.parse(sample.at)), FOREVER);
    this.#noteLate.run(first, first, first);
  }

  range(sessionId: string, { since, until }: { since?: Instant; until?: Instant }): Sample[] {
    const from = since === undefined ? 0 : Date.parse(since);
    const to = until === undefined ? FOREVER : Date.parse(until);
    return this.#range.all(sessionId, from, to).map(toSample);
  }

  sumsOf(sessionId: string): SampleSums {
    return this.#sumsById.get(sessionId) ?? NO_SAMPLES;
  }

  /** Says from when on it has to thin by this step; undefined where all is thinned up to the target. */
  beginThinning(stepMs: number, target: number): number | undefined {
    const until = this.#thinned.get(stepMs)?.until ?? 0;
    const from = Math.floor(until / stepMs) * stepMs;
    if (from >= target) return undefined;
    this.#beginThinning.run(stepMs, from, target);
    return from;
  }

  endThinning(stepMs: number): void {
    this.#endThinning.run(stepMs);
  }

  /** Thins some more, from a place on; says how many samples went, and the next place, undefined behind the last. */
  thinSome(
    place: ThinPlace,
    { from, before, stepMs }: { readonly from: number; readonly before: number; readonly stepMs: number },
  ): { readonly gone: number; readonly next: ThinPlace | undefined } {
    const session = this.#next.get(place.session, from, before)?.session;
    if (session === undefined) return { gone: 0, next: undefined };
    const begin = session === place.session ? place.at : from;
    const samples = this.#chunk.all(session, begin, before, CHUNK).map(toSample);
    const steps = [...Map.groupBy(samples, ({ at }) => Math.floor(Date.parse(at) / stepMs) * stepMs)];
    const gone = steps.reduce((sum, [at, step]) => sum + this.#merge(session, at, step), 0);
    // The last step of a full chunk may go on behind it: the next begins with what it was made into.
    const last = samples.length === CHUNK ? steps.at(-1) : undefined;
    return { gone, next: last ? { session, at: last[0] } : { session: session + 1, at: from } };
  }

  /** Makes one of all samples from a time on, and says how many fewer there are. */
  #merge(session: number, at: number, samples: readonly Sample[]): number {
    const instant = toInstant(at);
    const last = samples.at(-1)?.at ?? instant;
    if (last === instant) return 0;
    this.#delete.run(session, at, Date.parse(last));
    this.#insert.run(session, ...valuesOf(mergeSamples(instant, samples)));
    return samples.length - 1;
  }
}

function valuesOf(sample: Sample): Value[] {
  return [Date.parse(sample.at), sample.overMs, ...FIELDS.map((name) => sample[name])];
}

function toSample([at, overMs, ...values]: Value[]): Sample {
  const measured = Object.fromEntries(FIELDS.map((name, index) => [name, values[index] ?? null]));
  return { at: toInstant(at ?? 0), overMs: overMs ?? 0, ...measured } as unknown as Sample;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
