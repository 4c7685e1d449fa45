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

/** Moves the clock until this has settled, with time for files and the store; tells how long it took on that clock. */
export async function settle<T>(work: Promise<T>): Promise<{ readonly value: T; readonly tookMs: number }> {
  const beganMs = performance.now();
  const settled: { tookMs?: number } = {};
  const note = () => {
    settled.tookMs = performance.now() - beganMs;
  };
  work.then(note, note);
  while (settled.tookMs === undefined) {
    await idle();
    await pass(SETTLE_STEP_MS);
  }
  return { value: await work, tookMs: settled.tookMs };
}

const SETTLE_STEP_MS = 50;

/** Everything that the event loop has to do now is done. */
export async function idle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await realImmediate();
}
