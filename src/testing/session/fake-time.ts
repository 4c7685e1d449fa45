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

/** Moves the clock in small steps, with time for files and the store between them, until this is settled. */
export async function passUntil<T>(work: Promise<T>, { stepMs = 10, mostMs = 60_000 } = {}): Promise<T> {
  let isSettled = false;
  const settle = () => void (isSettled = true);
  work.then(settle, settle);
  for (let passedMs = 0; !isSettled && passedMs < mostMs; passedMs += stepMs) {
    await realImmediate();
    await pass(stepMs);
  }
  return work;
}

/** Everything that the event loop has to do now is done. */
export async function idle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await realImmediate();
}
