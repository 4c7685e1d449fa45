import { setTimeout as sleep } from "node:timers/promises";
import { RollcallError } from "../../domain/errors.ts";
import { monotonicMs } from "../../machine/monotonic.ts";

const STEP_MS = 20;

/** Tries again, without blocking this process, for as long as another writer holds the lock and the patience lasts. */
export async function untilUnlocked<T>(patienceMs: number, work: () => T): Promise<T> {
  const lastMs = monotonicMs() + patienceMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isLocked = error instanceof RollcallError && error.code === "store_locked";
      if (!isLocked || monotonicMs() >= lastMs) throw error;
      await sleep(STEP_MS);
    }
  }
}

/** Whether it could be done before the patience was over; each try says by itself whether the lock was free. */
export async function isDoneInTime(patienceMs: number, isDone: () => boolean): Promise<boolean> {
  const lastMs = monotonicMs() + patienceMs;
  while (!isDone()) {
    if (monotonicMs() >= lastMs) return false;
    await sleep(STEP_MS);
  }
  return true;
}
