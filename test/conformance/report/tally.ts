import type { Moment } from "../moments.ts";

/** What was measured of one program by one source. */
export interface Tally {
  readonly program: string;
  readonly version: string;
  readonly kind: string;
  readonly source: string;
  readonly right: number;
  readonly wrong: number;
  readonly unknown: number;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

export function tally(moments: readonly Moment[]): Tally[] {
  const groups = Map.groupBy(moments, ({ program, version, kind, source }) =>
    JSON.stringify([program, version, kind, source ?? "none"]),
  );
  return [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([key, group]) => tallyOf(key, group));
}

function tallyOf(key: string, group: readonly Moment[]): Tally {
  const [program, version, kind, source] = JSON.parse(key) as [string, string, string, string];
  const count = (verdict: Moment["verdict"]) => group.filter((one) => one.verdict === verdict).length;
  const latencies = latenciesOf(group.filter(({ isComingUp }) => !isComingUp));
  return {
    ...{ program, version, kind, source },
    ...{ right: count("right"), wrong: count("wrong"), unknown: count("unknown") },
    ...{ medianMs: quantile(latencies, 0.5), p95Ms: quantile(latencies, 0.95) },
  };
}

export function latenciesOf(moments: readonly Moment[]): number[] {
  return moments.flatMap(({ latencyMs }) => latencyMs ?? []).toSorted((a, b) => a - b);
}

export function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

/** One name for the same moment in any run. */
export function keyOf({ program, kind, row, moment }: Pick<Moment, "program" | "kind" | "row" | "moment">) {
  return `${program} ${kind}: ${row}: ${moment}`;
}
