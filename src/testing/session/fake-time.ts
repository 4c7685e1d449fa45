import { syncBuiltinESMExports } from "node:module";
import promises from "node:timers/promises";
import { afterEach, beforeEach, vi } from "vitest";
import { T0 } from "../events.ts";

const realSleep = promises.setTimeout;
const realImmediate = promises.setImmediate;

/**
 * Every test of the file runs on a clock that stands still until `pass` moves it: timers, `Date` and `performance`.
 * Files, sockets and the store are real, and go on.
 */
export function useFakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      now: Date.parse(T0),
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    });
    promises.setTimeout = (<T>(ms?: number, value?: T) =>
      new Promise<T | undefined>((resolve) => setTimeout(resolve, ms, value))) as typeof realSleep;
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.useRealTimers();
    promises.setTimeout = realSleep;
    syncBuiltinESMExports();
  });
}

/** Moves the clock, and runs every timer that becomes due, in order. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Everything that the event loop has to do now is done. */
export async function idle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await realImmediate();
}
