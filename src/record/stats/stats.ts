import { usageOf } from "../../domain/session/record.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { STATUSES, type Status, statusOf } from "../../domain/session/state.ts";
import { type Instant, msBetween } from "../../domain/time.ts";
import {
  combineUsage,
  NO_USAGE,
  type Usage,
  type UsageGroup,
  unpricedOf,
  usageOfLedger,
} from "../../domain/usage.ts";
import type { StoredSession } from "../../store/store.ts";
import { type ResumeFigures, resumeFigures } from "../delegate/resume-figures.ts";
import type { Rollcall } from "../rollcall.ts";

export interface StatsOptions {
  /** Sessions that were active since then, and what was used since then. */
  readonly since?: Instant;
  readonly by?: UsageGroup;
  /** Adds the figures of delegations, each with its target. */
  readonly resume?: boolean;
}

export interface Stats {
  readonly since: Instant | null;
  readonly sessions: Readonly<Record<Status | "total" | "withErrors", number>>;
  readonly durationMs: { readonly median: number | null; readonly p95: number | null };
  readonly usage: Usage;
  /** Models with requests that have no price. */
  readonly unpricedModels: readonly string[];
  readonly by: UsageGroup | null;
  readonly groups: readonly StatsGroup[];
  readonly resume?: ResumeFigures;
}

export interface StatsGroup {
  readonly group: string | null;
  readonly sessions: number;
  readonly usage: Usage;
}

const CHUNK = 1000;

export async function statsOf(rollcall: Rollcall, options: StatsOptions): Promise<Stats> {
  const { since, by = null } = options;
  const tally = new Tally(by);
  for await (const session of storedSessions(rollcall, since)) tally.add(session);
  const window = since === undefined ? {} : { since };
  const ledger = await rollcall.context.store.usageTotals({ ...window, by });
  for (const total of ledger) tally.addUsage(total.group, usageOfLedger(total.ledger, null));
  const models =
    by === "model" ? ledger : await rollcall.context.store.usageTotals({ ...window, by: "model" });
  return {
    since: since ?? null,
    sessions: tally.counts,
    durationMs: tally.durations(),
    usage: tally.usage(),
    unpricedModels: unpricedOf(models),
    by,
    groups: by === null ? [] : tally.groups(),
    ...(options.resume ? { resume: await resumeFigures(rollcall, tally, since) } : {}),
  };
}

async function* storedSessions(rollcall: Rollcall, since: Instant | undefined): AsyncIterable<StoredSession> {
  let cursor: string | undefined;
  do {
    const page = await rollcall.context.store.list({
      limit: CHUNK,
      ...(since === undefined ? {} : { activeSince: since }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

interface GroupTally {
  sessions: number;
  usage: Usage;
}

export class Tally {
  readonly counts: Record<Status | "total" | "withErrors", number>;
  readonly #by: UsageGroup | null;
  readonly #groups = new Map<string | null, GroupTally>();
  readonly #durations: number[] = [];

  constructor(by: UsageGroup | null) {
    this.#by = by;
    const zero = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
    this.counts = { total: 0, ...zero, withErrors: 0 };
  }

  /** Counts a session, and what it declared; what it used request by request comes from the ledger. */
  add({ row, ledger }: StoredSession): void {
    this.counts.total += 1;
    this.counts[statusOf(row)] += 1;
    if (row.errorCount > 0) this.counts.withErrors += 1;
    const end = row.finalizedAt ?? row.endedAt;
    if (end !== null) this.#durations.push(Math.max(0, msBetween(row.createdAt, end)));
    const group = this.#groupOf(groupName(this.#by, row));
    group.sessions += 1;
    if (ledger.requests === 0) group.usage = add(group.usage, usageOf(row));
  }

  addUsage(name: string | null, usage: Usage): void {
    const group = this.#groupOf(name);
    group.usage = add(group.usage, usage);
  }

  durations(): { median: number | null; p95: number | null } {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
    return { median: at(0.5), p95: at(0.95) };
  }

  usage(): Usage {
    return [...this.#groups.values()].reduce((sum, { usage }) => add(sum, usage), NO_USAGE);
  }

  groups(): StatsGroup[] {
    const groups = [...this.#groups].map(([group, tally]) => ({ group, ...tally }));
    return groups.sort((a, b) => (b.usage.costUsd ?? 0) - (a.usage.costUsd ?? 0) || b.sessions - a.sessions);
  }

  #groupOf(name: string | null): GroupTally {
    const found = this.#groups.get(name) ?? { sessions: 0, usage: NO_USAGE };
    this.#groups.set(name, found);
    return found;
  }
}

/** A session that measured nothing adds nothing, and does not make the sum of the others partial. */
function add(sum: Usage, usage: Usage): Usage {
  if (usage === NO_USAGE) return sum;
  return sum === NO_USAGE ? usage : combineUsage([sum, usage]);
}

function groupName(by: UsageGroup | null, row: SessionRow): string | null {
  switch (by) {
    case null:
      return null;
    case "agent":
      return row.agentName ?? row.agentType;
    case "model":
      return row.model;
    case "day":
      return row.createdAt.slice(0, 10);
    case "purpose":
      return row.purpose;
    case "folder":
      return row.workspacePath;
  }
}
