import { type Instant, toInstant } from "../domain/time.ts";

/** A clock that stands still until it is moved; hand its `now` to what asks for the time. */
export class FakeClock {
  #ms: number;

  constructor(start: Instant = "2026-01-08T18:05:30.000Z") {
    this.#ms = Date.parse(start);
  }

  readonly now = (): number => this.#ms;

  get instant(): Instant {
    return toInstant(this.#ms);
  }

  advance({ minutes = 0, seconds = 0, ms = 0 }: { minutes?: number; seconds?: number; ms?: number }): void {
    this.#ms += minutes * 60_000 + seconds * 1000 + ms;
  }
}
