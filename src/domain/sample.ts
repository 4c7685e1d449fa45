import type { Resources } from "./session/session.ts";
import type { Instant } from "./time.ts";

/** One measurement of resources, or several made into one. Null is "not measured", never zero. */
export interface Sample extends Omit<Resources, "avgCpuPercent" | "peakMemoryRssBytes" | "sampledAt"> {
  readonly at: Instant;
  /** The stretch of time that `cpuPercent` is the average of, and its weight in any other average. */
  readonly overMs: number;
}

/** Sums over all samples of a session, which stay exact however many of them are made into one later. */
export interface SampleSums {
  readonly samples: number;
  /** Percent times milliseconds, over the milliseconds beside it. */
  readonly cpuPercentMs: number;
  readonly measuredMs: number;
  readonly peakMemoryRssBytes: number | null;
}

export const NO_SAMPLES: SampleSums = {
  samples: 0,
  cpuPercentMs: 0,
  measuredMs: 0,
  peakMemoryRssBytes: null,
};

export function addSample(sums: SampleSums, sample: Sample): SampleSums {
  const { cpuPercent, overMs } = sample;
  return {
    samples: sums.samples + 1,
    cpuPercentMs: sums.cpuPercentMs + (cpuPercent ?? 0) * overMs,
    measuredMs: sums.measuredMs + (cpuPercent === null ? 0 : overMs),
    peakMemoryRssBytes: most([sums.peakMemoryRssBytes, sample.memoryRssBytes]),
  };
}

/** The resources of a record after its newest sample. The size of a workspace is measured more rarely: the last one stays. */
export function resourcesAfter(before: Resources, sample: Sample, sums: SampleSums): Resources {
  const { at, overMs: _, ...measured } = sample;
  return {
    ...measured,
    workspaceBytesUsed: sample.workspaceBytesUsed ?? before.workspaceBytesUsed,
    sampledAt: at,
    ...overLife(sums),
  };
}

/** The average and the peak over the whole life of a session. */
export function overLife(sums: SampleSums): Pick<Resources, "avgCpuPercent" | "peakMemoryRssBytes"> {
  return {
    avgCpuPercent: sums.measuredMs === 0 ? null : sums.cpuPercentMs / sums.measuredMs,
    peakMemoryRssBytes: sums.peakMemoryRssBytes,
  };
}

/**
 * One sample for several, which stand in order of time: processor time on average, memory and processes at their
 * peak, and of what only grows the last.
 */
export function mergeSamples(at: Instant, samples: readonly Sample[]): Sample {
  const sums = samples.reduce(addSample, NO_SAMPLES);
  const { avgCpuPercent, peakMemoryRssBytes } = overLife(sums);
  const column = (name: Exclude<keyof Sample, "at" | "overMs">) => samples.map((sample) => sample[name]);
  const last = (name: Parameters<typeof column>[0]) =>
    column(name).findLast((value) => value !== null) ?? null;
  return {
    at,
    overMs: sums.measuredMs || samples.reduce((sum, { overMs }) => sum + overMs, 0),
    cpuPercent: avgCpuPercent,
    memoryRssBytes: peakMemoryRssBytes,
    memoryVszBytes: most(column("memoryVszBytes")),
    ioReadBytes: last("ioReadBytes"),
    ioWriteBytes: last("ioWriteBytes"),
    ioReadChars: last("ioReadChars"),
    ioWriteChars: last("ioWriteChars"),
    processes: most(column("processes")),
    workspaceBytesUsed: last("workspaceBytesUsed"),
  };
}

function most(values: readonly (number | null)[]): number | null {
  return values.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}
