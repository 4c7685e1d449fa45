/** `ROLLCALL_FAULTS=full` runs the long form. */
export function times(short: number, full: number): number {
  return process.env.ROLLCALL_FAULTS === "full" ? full : short;
}

/** A test of the short form that takes longer hangs. */
export const PATIENCE_MS = times(120_000, 1_800_000);

/** One line of figures for whoever reads the run. */
export function report(line: string): void {
  process.stdout.write(`faults: ${line}\n`);
}

export interface Random {
  below(limit: number): number;
  between(least: number, most: number): number;
}

/** Moments and places that can be had again: the seed is printed, and taken from ROLLCALL_FAULTS_SEED. */
export function seededRandom(what: string): Random {
  const seed = Number(process.env.ROLLCALL_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 31));
  report(`${what}: seed ${seed}`);
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, between: (least, most) => least + below(most - least + 1) };
}
