/** Does a fixed amount of work and returns its figure: operations per second, or milliseconds. */
export type Round = () => number | Promise<number>;

export interface Compared {
  readonly ours: number;
  readonly baseline: number;
  readonly ratio: number;
}

/**
 * Medians of rounds in which the two take turns, each going first every other time: what else the machine does
 * meanwhile falls on both. The ratio is the median of the rounds' own ratios, for the two of a round are the closest
 * in time. One round of each goes before and is not counted.
 */
export async function interleave(options: {
  readonly rounds: number;
  readonly ours: Round;
  readonly baseline: Round;
}): Promise<Compared> {
  const { rounds, ours, baseline } = options;
  await baseline();
  await ours();
  const seen: Compared[] = [];
  for (let round = 0; round < rounds; round++) {
    const early = round % 2 === 1 ? await ours() : undefined;
    const theirs = await baseline();
    const own = early ?? (await ours());
    seen.push({ ours: own, baseline: theirs, ratio: own / theirs });
  }
  const medianOf = (part: keyof Compared) => median(seen.map((round) => round[part]));
  return { ours: medianOf("ours"), baseline: medianOf("baseline"), ratio: medianOf("ratio") };
}

export async function perSecond(operations: number, work: () => void | Promise<void>): Promise<number> {
  return operations / ((await tookMs(work)) / 1000);
}

export async function tookMs(work: () => void | Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
