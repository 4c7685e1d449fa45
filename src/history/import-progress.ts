import type { ImportProgress } from "./report.ts";

/** How many bytes an import has to read, and how many of them it has read. */
export class Progress {
  #done = 0;
  #total = 0;

  expect(bytes: number): void {
    this.#total += bytes;
  }

  add(bytes: number): void {
    this.#done += bytes;
  }

  at(sessions: number): ImportProgress {
    return { doneBytes: this.#done, totalBytes: Math.max(this.#total, this.#done), sessions };
  }
}
