/** Mulberry32: the same seed gives the same world. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error("There is nothing to pick from.");
    return list[this.int(list.length)] as T;
  }

  /** One of them, by their weights; some weight must be above 0. */
  weighted<T extends { readonly weight: number }>(choices: readonly T[]): T {
    let left = this.next() * choices.reduce((sum, { weight }) => sum + weight, 0);
    for (const choice of choices) {
      left -= choice.weight;
      if (left < 0) return choice;
    }
    return choices.at(-1) as T;
  }
}
