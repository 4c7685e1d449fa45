import { IMPORTED_SEEDS, SEEDS } from "./history/seeds.ts";

/** How many cases of a property are drawn: in the inner loop the same share as of the generated histories. */
export function runsOf(count: number): number {
  return Math.ceil((count * IMPORTED_SEEDS) / SEEDS);
}
