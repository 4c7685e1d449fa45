import { RollcallError } from "../../domain/errors.ts";
import type { Status } from "../../domain/session/state.ts";
import type { ToolUse } from "../../domain/tally/tool-use.ts";
import type { Instant } from "../../domain/time.ts";
import {
  EMPTY_LEDGER,
  type LedgerSum,
  mergeLedgers,
  type Usage,
  type UsageGroup,
  unpricedOf,
  usageOfLedger,
} from "../../domain/usage.ts";
import type { SessionTotals, Statistics, TotalsQuery, UsageTotal } from "../../store/statistics.ts";
import { type ResumeFigures, resumeFigures } from "../delegate/resume-figures.ts";
import type { Rollcall } from "../rollcall.ts";
import { type Days, daysOf } from "./days.ts";
import { type Sizes, sizesOf } from "./sizes.ts";
import { countOf, shareOf } from "./spread.ts";
import { type WaitsByAgent, waitsOf } from "./waits.ts";

export interface StatsOptions {
  /** Sessions that were active since then, and what was used since then. */
  readonly since?: Instant;
  /** Sessions that were made before then, and what was used before then. */
  readonly until?: Instant;
  readonly by?: UsageGroup;
  /** Days begin at midnight of UTC, and not of the time zone that this process has. */
  readonly utc?: boolean;
  /** Adds the figures of delegations, each with its target. */
  readonly resume?: boolean;
}

export interface Stats {
  readonly since: Instant | null;
  readonly until: Instant | null;
  /** In which days are counted. */
  readonly timeZone: string;
  readonly sessions: Readonly<Record<Status | "total" | "withErrors", number>>;
  readonly durationMs: { readonly median: number | null; readonly p95: number | null };
  readonly usage: Usage;
  /** Models with requests that have no price. */
  readonly unpricedModels: readonly string[];
  readonly waits: WaitsByAgent;
  /** The tool that failed most comes first. */
  readonly tools: readonly StatsTool[];
  readonly by: UsageGroup | null;
  readonly groups: readonly StatsGroup[];
  /** The state folder as it is now, whatever time is asked about. */
  readonly size: Sizes;
  readonly resume?: ResumeFigures;
}

export interface StatsGroup {
  readonly group: string | null;
  /** Those that are recorded; the usage counts that of removed ones, too. */
  readonly sessions: number;
  readonly usage: Usage;
}

export interface StatsTool extends ToolUse {
  /** The share of calls that failed; null where no call of it is known. */
  readonly failureRate: number | null;
}

export async function statsOf(rollcall: Rollcall, options: StatsOptions): Promise<Stats> {
  const { since, until, by = null } = options;
  if (since !== undefined && until !== undefined && since >= until)
    throw new RollcallError("bad_input", `There is no time between ${since} and ${until}.`, {
      hint: "Give a time for --since that lies before the one for --until.",
    });
  const statistics = rollcall.context.store.statistics();
  const days = daysOf(options.utc === true ? "utc" : "local");
  const window = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  const query: TotalsQuery = { ...window, by: by === "day" ? "quarter" : by };
  const totals = statistics.sessions(query);
  const ledger = statistics.usage(query);
  const groups = groupsOf(totals, ledger, by === "day" ? days : undefined);
  const resume = options.resume ? { resume: await resumeFigures(rollcall, totals, since) } : {};
  return {
    since: since ?? null,
    until: until ?? null,
    timeZone: days.timeZone,
    sessions: { total: countOf(totals), ...totals.statuses, withErrors: totals.withErrors },
    durationMs: { median: shareOf(totals.durationsMs, 0.5), p95: shareOf(totals.durationsMs, 0.95) },
    usage: usageOfGroups([...groups.values()]),
    unpricedModels: unpricedModels(statistics, query, ledger),
    waits: waitsOf(statistics.waits(window), rollcall.context.now()),
    tools: statistics.tools(window).map(withRate),
    by,
    groups: by === null ? [] : ordered(groups, by),
    size: await sizesOf(rollcall.context),
    ...resume,
  };
}

function withRate(use: ToolUse): StatsTool {
  return { ...use, failureRate: use.calls === 0 ? null : use.failures / use.calls };
}

function unpricedModels(statistics: Statistics, query: TotalsQuery, ledger: UsageTotal[]): string[] {
  const isWhole = ledger.every(({ ledger: sum }) => sum.reported + sum.computed === sum.requests);
  if (isWhole) return [];
  return unpricedOf(query.by === "model" ? ledger : statistics.usage({ ...query, by: "model" }));
}

interface Group {
  sessions: number;
  turns: number;
  used: LedgerSum;
}

/** With days, groups are quarters of an hour, and become those days. */
function groupsOf(
  { groups: counted }: SessionTotals,
  ledger: readonly UsageTotal[],
  days: Days | undefined,
): Map<string | null, Group> {
  const groups = new Map<string | null, Group>();
  const groupOf = (key: string | null): Group => {
    const name = days && key !== null ? days.dayOf(`${key}:00.000Z`) : key;
    const group = groups.get(name) ?? { sessions: 0, turns: 0, used: EMPTY_LEDGER };
    groups.set(name, group);
    return group;
  };
  for (const { group: name, sessions, turns, declared } of counted) {
    const group = groupOf(name);
    group.sessions += sessions;
    group.turns += turns;
    group.used = mergeLedgers(group.used, declared);
  }
  for (const total of ledger) {
    const group = groupOf(total.group);
    group.used = mergeLedgers(group.used, total.ledger);
  }
  return groups;
}

function usageOfGroups(groups: readonly Group[]): Usage {
  const sum = groups.reduce((all, { used }) => mergeLedgers(all, used), EMPTY_LEDGER);
  const turns = groups.reduce((all, group) => all + group.turns, 0);
  return usageOf(sum, turns);
}

function usageOf(used: LedgerSum, turns: number): Usage {
  const usage = usageOfLedger(used, turns === 0 ? null : turns);
  return used.requests === 0 ? { ...usage, costSource: null } : usage;
}

/** Days in their order; of all others the dearest first. */
function ordered(groups: ReadonlyMap<string | null, Group>, by: UsageGroup): StatsGroup[] {
  const all = [...groups].map(([group, { sessions, turns, used }]) => ({
    group,
    sessions,
    usage: usageOf(used, turns),
  }));
  const byName = (a: StatsGroup, b: StatsGroup) => ((a.group ?? "") < (b.group ?? "") ? -1 : 1);
  if (by === "day") return all.sort(byName);
  const amount = (usage: Usage) => usage.costUsd ?? 0;
  return all.sort(
    (a, b) =>
      amount(b.usage) - amount(a.usage) ||
      (b.usage.tokensTotal ?? 0) - (a.usage.tokensTotal ?? 0) ||
      b.sessions - a.sessions ||
      byName(a, b),
  );
}
