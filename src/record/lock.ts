import { takeProcessLock } from "../store/sqlite/process-lock.ts";

/** A lock of this process on a file, taken back by the system with it; undefined where another process has it. */
export function takeLock(path: string): Disposable | undefined {
  return takeProcessLock(path);
}
