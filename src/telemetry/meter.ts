import type { Sample } from "../domain/sample.ts";
import { type IoCounters, mapIo, TICK_MS } from "./process-scan.ts";
import type { ProcessTicks, TreeReading } from "./process-tree.ts";

/** The result of one pass for a launch, without its time. */
export type Measured = Omit<Sample, "at" | "workspaceBytesUsed">;

export interface MeterStart {
  /** Milliseconds that are over since this launch was measured last, or since it began. */
  readonly sinceMs: number;
  /** Processor time of this launch that was counted before. */
  readonly countedCpuMs: number;
  /** The counters of all launches before this one. */
  readonly ioBefore: IoCounters;
}

type Ticks = ReadonlyMap<string, ProcessTicks>;

/**
 * Makes measurements of the readings of one launch, each counted once: a process that has left is in the counters of the
 * one that waited for it, and all that nobody waited for were given to the holder.
 *
 * Not counted is what a process did after the last reading when its parent ignores SIGCHLD (the kernel forgets it), and what
 * the tree did between the last reading and its end.
 */
export class Meter {
  readonly #start: MeterStart;
  readonly #io: Readonly<Record<keyof IoCounters, GrowingCounter>> = {
    readChars: new GrowingCounter(),
    writeChars: new GrowingCounter(),
    readBytes: new GrowingCounter(),
    writeBytes: new GrowingCounter(),
  };
  #ticks: Ticks | undefined;
  #owedTicks = 0;
  #lastMs: number;

  /** `nowMs` is the time of a clock that nobody can set. */
  constructor(start: MeterStart, nowMs: number) {
    this.#start = start;
    this.#lastMs = nowMs - start.sinceMs;
  }

  measure(reading: TreeReading, nowMs: number): Measured {
    // Whole, because that is what is kept: percent times time is then the very time that was counted.
    const overMs = Math.max(1, Math.round(nowMs - this.#lastMs));
    const io = this.#ioAfter(reading.io);
    const cpuMs = this.#cpuMsAfter(reading.ticks);
    this.#lastMs += overMs;
    return {
      overMs,
      cpuPercent: (100 * cpuMs) / overMs,
      memoryRssBytes: reading.rssBytes,
      memoryVszBytes: reading.vszBytes,
      ioReadBytes: io?.readBytes ?? null,
      ioWriteBytes: io?.writeBytes ?? null,
      ioReadChars: io?.readChars ?? null,
      ioWriteChars: io?.writeChars ?? null,
      processes: reading.processes,
    };
  }

  #cpuMsAfter(ticks: Ticks): number {
    const before = this.#ticks;
    this.#ticks = ticks;
    if (!before) return Math.max(0, totalOf(ticks) * TICK_MS - this.#start.countedCpuMs);
    const { grown, owed } = growthOf(before, ticks, this.#owedTicks);
    this.#owedTicks = owed;
    return grown * TICK_MS;
  }

  #ioAfter(io: IoCounters | null): IoCounters | null {
    return io && mapIo((name) => this.#start.ioBefore[name] + this.#io[name].next(io[name]));
  }
}

function totalOf(ticks: Ticks): number {
  return ticks.values().reduce((sum, { own, reaped }) => sum + own + reaped, 0);
}

/**
 * The ticks between two readings. Those of a process that has left are expected among the reaped ones. One pass reads a
 * parent before its children, so that they can be missing in one reading and come in the next: so long they are owed.
 */
function growthOf(
  before: Ticks,
  now: Ticks,
  owed: number,
): { readonly grown: number; readonly owed: number } {
  let [own, reaped, left] = [0, 0, 0];
  for (const [key, ticks] of now) {
    const last = before.get(key);
    own += last ? Math.max(0, ticks.own - last.own) : ticks.own + ticks.reaped;
    reaped += last ? Math.max(0, ticks.reaped - last.reaped) : 0;
  }
  for (const [key, last] of before) if (!now.has(key)) left += last.own + last.reaped;
  const missing = left + owed - reaped;
  return { grown: own + Math.max(0, -missing), owed: Math.min(left, Math.max(0, missing)) };
}

/**
 * A sum over processes that never falls. A fall for one reading is a process on its way to its parent's counters; a fall
 * that stays is one that the kernel forgot: the sum goes on from there.
 */
class GrowingCounter {
  #counted = 0;
  #forgotten = 0;
  #hasFallen = false;

  next(sum: number): number {
    if (sum + this.#forgotten >= this.#counted) {
      this.#counted = sum + this.#forgotten;
      this.#hasFallen = false;
    } else if (this.#hasFallen) {
      this.#forgotten = this.#counted - sum;
      this.#hasFallen = false;
    } else this.#hasFallen = true;
    return this.#counted;
  }
}
