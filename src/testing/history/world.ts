import { Random } from "../simulation/random.ts";

/** Chance, time and names of one generated tree, and the traps that were laid in it. */
export class World {
  readonly random: Random;
  readonly traps = new Set<string>();
  #now: number;

  constructor(seed: number) {
    this.random = new Random(seed);
    // Around the day when a price changed.
    this.#now = Date.UTC(2026, 1, 20) + this.random.int(40 * 24) * 3_600_000;
  }

  get now(): number {
    return this.#now;
  }

  /** Times never go back, and may be equal. */
  tick(atMostMs = 2000): string {
    this.#now += this.random.int(atMostMs);
    return new Date(this.#now).toISOString();
  }

  pass(hours: number): void {
    this.#now += hours * 3_600_000;
  }

  /** Whether this trap is laid here; it is counted. */
  lay(trap: string, probability: number): boolean {
    if (!this.random.chance(probability)) return false;
    this.traps.add(trap);
    return true;
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.random.int(16).toString(16)).join("");
  }

  uuid(): string {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-a${this.hex(3)}-${this.hex(12)}`;
  }

  /** A name whose order among others has nothing to do with its age. */
  words(count: number): string {
    const words = ["tests", "parser", "fix", "the", "slow", "cache", "naïve", "日志", "read", "“why”"];
    return Array.from({ length: count }, () => this.random.pick(words)).join(" ");
  }
}
