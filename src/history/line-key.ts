import type { Instant } from "../domain/time.ts";

/**
 * Names a line of a transcript, the same for whoever reads it. The time at which the agent said it tells it from a line
 * that ended at the same place in a file that was replaced since.
 */
export function lineKey(offset: number, at: Instant | undefined): string {
  return at === undefined ? `transcript-${offset}` : `transcript-${offset}-${Date.parse(at)}`;
}
