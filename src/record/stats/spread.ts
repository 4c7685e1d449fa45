import { STATUSES } from "../../domain/session/state.ts";
import type { SessionTotals } from "../../store/statistics.ts";

/** The value below which this share of all lies, which are in order; null where there are none. */
export function shareOf(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

export function countOf({ statuses }: SessionTotals): number {
  return STATUSES.reduce((sum, status) => sum + statuses[status], 0);
}
