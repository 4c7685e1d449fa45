import type { Proc } from "./process-table.ts";
import type { Random } from "./random.ts";

export interface Status {
  readonly code: number | null;
  readonly signal: string | null;
}

const BLOCKED_AFTER_MS = 5000;
/** How a process leaves when it is asked to. */
const POLITE: readonly Status[] = [
  { code: null, signal: "SIGTERM" },
  { code: 143, signal: null },
  { code: 0, signal: null },
  { code: 1, signal: null },
];

interface Hands {
  readonly random: Random;
  readonly nowMs: () => number;
  readonly tree: () => Proc[];
  readonly end: (proc: Proc, status: Status) => void;
  readonly tellBlocked: () => void;
}

/** TERM and CONT to all, KILL after the grace, and the word `blocked` once five seconds of that were not enough. */
export class TreeEnding {
  readonly #hands: Hands;
  #killAt: number;
  #isBlockedTold = false;
  killed = 0;

  constructor(hands: Hands, graceMs: number) {
    this.#hands = hands;
    this.#killAt = hands.nowMs() + graceMs;
    for (const proc of hands.tree()) {
      proc.hasTerm = true;
      proc.isStopped = false;
    }
  }

  /** Asked again: a shorter grace counts. */
  shorten(graceMs: number): void {
    this.#killAt = Math.min(this.#killAt, this.#hands.nowMs() + graceMs);
  }

  /** False where there is nothing to do at this time. */
  step(): boolean {
    const { random, nowMs, tree, end } = this.#hands;
    const killable = tree().filter(({ isStuck }) => !isStuck);
    const polite = killable.filter(({ hasTerm, ignoresTerm }) => hasTerm && !ignoresTerm);
    if (polite.length > 0) {
      end(random.pick(polite), random.pick(POLITE));
      return true;
    }
    if (nowMs() < this.#killAt) return false;
    for (const proc of killable) end(proc, { code: null, signal: "SIGKILL" });
    this.killed += killable.length;
    return killable.length > 0 || this.#findBlocked();
  }

  dueAt(): number | null {
    if (this.#hands.tree().length === 0) return null;
    if (this.#hands.nowMs() < this.#killAt) return this.#killAt;
    return this.#isBlockedTold ? null : this.#killAt + BLOCKED_AFTER_MS;
  }

  #findBlocked(): boolean {
    const isLate = this.#hands.nowMs() >= this.#killAt + BLOCKED_AFTER_MS;
    if (!isLate || this.#isBlockedTold || this.#hands.tree().length === 0) return false;
    this.#isBlockedTold = true;
    this.#hands.tellBlocked();
    return true;
  }
}
