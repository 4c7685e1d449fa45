/** How many trees are generated. */
export const SEEDS = 200;
/** How many of them are imported: all, except in the inner loop, which has to be quick. */
export const IMPORTED_SEEDS = Number(process.env.ROLLCALL_SEEDS ?? SEEDS);

export function seedsBelow(count: number): number[] {
  return Array.from({ length: count }, (_, seed) => seed);
}
