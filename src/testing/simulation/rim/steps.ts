import type { Random } from "../random.ts";

interface Step {
  readonly id: string;
  readonly goOn: () => void;
}

/**
 * Everything that a daemon waits for. The world lets one step go on at a time, in any order; the steps of a daemon
 * that was killed never go on.
 */
export class Steps {
  #waiting: Step[] = [];
  /** The newest of those that wait since the last step; `idle` where that step left nothing to wait for. */
  standing = "idle";

  /** Resolves when the world lets this step of a session go on. */
  async wait(id: string, standing: string): Promise<void> {
    this.standing = standing;
    return new Promise((goOn) => {
      this.#waiting.push({ id, goOn });
    });
  }

  isWaiting(id: string): boolean {
    return this.#waiting.some((step) => step.id === id);
  }

  /** Lets one step of one session go on; false where none waits. */
  goOn(random: Random): boolean {
    this.standing = "idle";
    if (this.#waiting.length === 0) return false;
    const id = random.pick([...new Set(this.#waiting.map((step) => step.id))]);
    const step = random.pick(this.#waiting.filter((one) => one.id === id));
    this.#waiting = this.#waiting.filter((one) => one !== step);
    step.goOn();
    return true;
  }
}
