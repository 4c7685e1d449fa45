const SLOWEST = 0.25;
const FASTEST = 64;

/** Where a replay stands. Its clock is handed in. */
export class Playhead {
  readonly durationMs: number;
  readonly #now: () => number;
  #speed: number;
  #ms: number;
  /** Since when it runs from there; undefined while it is paused. */
  #since: number | undefined;

  constructor({
    durationMs,
    speed,
    fromMs,
    now,
  }: { durationMs: number; speed: number; fromMs: number; now: () => number }) {
    this.durationMs = durationMs;
    this.#now = now;
    this.#speed = speed;
    this.#ms = Math.min(fromMs, durationMs);
    this.#since = now();
  }

  get ms(): number {
    const ran = this.#since === undefined ? 0 : (this.#now() - this.#since) * this.#speed;
    return Math.min(this.#ms + ran, this.durationMs);
  }

  get speed(): number {
    return this.#speed;
  }

  get isAtEnd(): boolean {
    return this.ms >= this.durationMs;
  }

  get isRunning(): boolean {
    return this.#since !== undefined && !this.isAtEnd;
  }

  /** At the end it begins anew. */
  toggle(): void {
    if (this.isAtEnd) this.#move(0, true);
    else this.#move(this.ms, this.#since === undefined);
  }

  seek(ms: number): void {
    this.#move(Math.min(Math.max(0, ms), this.durationMs), this.#since !== undefined);
  }

  setSpeed(factor: number): void {
    this.#move(this.ms, this.#since !== undefined);
    this.#speed = Math.min(FASTEST, Math.max(SLOWEST, this.#speed * factor));
  }

  /** How long until the replay stands there; undefined while it is paused. */
  msUntil(ms: number): number | undefined {
    return this.isRunning ? Math.max(0, ms - this.ms) / this.#speed : undefined;
  }

  #move(ms: number, runs: boolean): void {
    this.#ms = ms;
    this.#since = runs ? this.#now() : undefined;
  }
}
