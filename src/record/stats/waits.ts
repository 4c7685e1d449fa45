import { msBetween, toInstant } from "../../domain/time.ts";
import type { AgentWait } from "../../store/statistics.ts";
import { shareOf } from "./spread.ts";

/** How long agents waited for people. An open wait counts up to now. */
export interface Waits {
  readonly count: number;
  /** How many of them are not over. */
  readonly open: number;
  readonly totalMs: number;
  readonly medianMs: number | null;
  readonly longestMs: number | null;
}

export interface WaitsByAgent extends Waits {
  readonly byAgent: readonly (Waits & { readonly agent: string })[];
}

/** The agent that waited longest in all comes first. */
export function waitsOf(waits: readonly AgentWait[], now: number): WaitsByAgent {
  const agents = [...Map.groupBy(waits, ({ agent }) => agent)];
  const byAgent = agents.map(([agent, own]) => ({ agent, ...summed(own, now) }));
  return { ...summed(waits, now), byAgent: byAgent.sort((a, b) => b.totalMs - a.totalMs) };
}

function summed(waits: readonly AgentWait[], now: number): Waits {
  const lengths = waits.map(({ since, ms }) => ms ?? Math.max(0, msBetween(since, toInstant(now))));
  const sorted = lengths.sort((a, b) => a - b);
  return {
    count: waits.length,
    open: waits.filter(({ ms }) => ms === null).length,
    totalMs: sorted.reduce((sum, ms) => sum + ms, 0),
    medianMs: shareOf(sorted, 0.5),
    longestMs: sorted.at(-1) ?? null,
  };
}
