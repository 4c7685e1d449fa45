import { setTimeout as sleep } from "node:timers/promises";
import { RollcallError } from "../../domain/errors.ts";

const STEP_MS = 20;

/** Tries again, without blocking this process, for as long as another writer holds the lock and the patience lasts. */
export async function untilUnlocked<T>(patienceMs: number, work: () => T): Promise<T> {
  const lastMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isLocked = error instanceof RollcallError && error.code === "store_locked";
      if (!isLocked || performance.now() >= lastMs) throw error;
      await sleep(STEP_MS);
    }
  }
}

/** Whether it could be done before the patience was over; each try says by itself whether the lock was free. */
export async function isDoneInTime(patienceMs: number, isDone: () => boolean): Promise<boolean> {
  const lastMs = performance.now() + patienceMs;
  while (!isDone()) {
    if (performance.now() >= lastMs) return false;
    await sleep(STEP_MS);
  }
  return true;
}
