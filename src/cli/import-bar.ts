import type { ImportProgress } from "../history/report.ts";
import { bytes, duration, plural } from "../present/format.ts";
import { isTerminal } from "./framework/output.ts";

const EVERY_MS = 100;

/** How far an import is, how fast it goes and how long it will take; only where a person looks. */
export class ImportBar implements Disposable {
  readonly #isShown = isTerminal(2);
  readonly #beganMs = performance.now();
  #lastMs = 0;

  show(progress: ImportProgress): void {
    const now = performance.now();
    if (!this.#isShown || now - this.#lastMs < EVERY_MS) return;
    this.#lastMs = now;
    process.stderr.write(`\r\u001b[K${progressLine(progress, now - this.#beganMs)}`);
  }

  [Symbol.dispose](): void {
    if (this.#lastMs > 0) process.stderr.write("\r\u001b[K");
    this.#lastMs = 0;
  }
}

/** One line of progress after so much time. */
export function progressLine({ doneBytes, totalBytes, sessions }: ImportProgress, ms: number): string {
  const share = totalBytes === 0 ? 1 : Math.min(1, doneBytes / totalBytes);
  const rate = ms === 0 ? 0 : (doneBytes / ms) * 1000;
  const left = share === 0 ? "" : `, ${duration((ms * (1 - share)) / share)} left`;
  return `${Math.floor(share * 100)} % of ${bytes(totalBytes)}, ${plural(sessions, "session")}, ${bytes(Math.round(rate))}/s${left}`;
}
