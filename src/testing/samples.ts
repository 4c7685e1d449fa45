import type { Sample } from "../domain/sample.ts";
import { NO_RESOURCES } from "../domain/session/record.ts";
import { T0 } from "./events.ts";

/** So many seconds after the beginning of all time in tests. */
export function secondsIn(seconds: number): string {
  return new Date(Date.parse(T0) + seconds * 1000).toISOString();
}

/** A measurement so many seconds in, of which nothing is known but what is given. */
export function sample(seconds: number, given: Partial<Sample> = {}): Sample {
  const { avgCpuPercent: _a, peakMemoryRssBytes: _p, sampledAt: _s, ...nothing } = NO_RESOURCES;
  return { ...nothing, at: secondsIn(seconds), overMs: 2000, ...given };
}
