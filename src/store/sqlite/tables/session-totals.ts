import type { Database } from "better-sqlite3";
import type { Outcome } from "../../../domain/session/outcome.ts";
import { STATUSES, type State, type Status, statusOf } from "../../../domain/session/state.ts";
import {
  type DeclaredTotals,
  EMPTY_LEDGER,
  type LedgerSum,
  ledgerOfTotals,
  mergeLedgers,
} from "../../../domain/usage.ts";
import type { SessionTotals, TotalsGroup, TotalsQuery } from "../../statistics.ts";
import { ALWAYS, fieldOf, GROUP_OF_SESSION, neededFor, quarterOf } from "./usage-totals.ts";

/** The fields of one session that are counted; no session is read whole. */
type Counted = readonly [
  group: string | null,
  state: State,
  outcome: Outcome | null,
  errors: number,
  turns: number,
  createdAt: string,
  endedAt: string | null,
  totals: string | null,
];

const GROUPS: Readonly<Record<TotalsGroup, string>> = {
  ...GROUP_OF_SESSION,
  model: fieldOf("model"),
  quarter: quarterOf("s.created_at"),
};

/**
 * Counts the sessions of a stretch of time in one pass: those that were made before its end and active after its beginning.
 * Damaged rows are left out, as they are in lists.
 */
export function sessionTotals(db: Database, { by, since = "", until = ALWAYS }: TotalsQuery): SessionTotals {
  const { before, joined } = neededFor(by);
  const counted = db
    .prepare<[string, string], Counted>(
      `${before} SELECT ${by === null ? "NULL" : GROUPS[by]}, s.state, s.outcome, s.body ->> '$.errorCount', s.body ->> '$.turns',
         s.created_at, coalesce(s.body ->> '$.finalizedAt', s.body ->> '$.endedAt'),
         CASE WHEN s.ledger IS NULL THEN s.body -> '$.totals' END
       FROM sessions s ${joined} WHERE s.last_active_at >= ? AND s.created_at < ? AND json_valid(s.body)`,
    )
    .raw();
  const tally = new Tally();
  for (const session of counted.iterate(since, until)) tally.add(session);
  return tally.totals();
}

interface Group {
  sessions: number;
  turns: number;
  declared: LedgerSum;
}

class Tally {
  readonly #statuses = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  readonly #groups = new Map<string | null, Group>();
  readonly #durations: number[] = [];
  #withErrors = 0;

  add([group, state, outcome, errors, turns, createdAt, endedAt, totals]: Counted): void {
    this.#statuses[statusOf({ state, outcome })] += 1;
    if (errors > 0) this.#withErrors += 1;
    if (endedAt !== null) this.#durations.push(Math.max(0, Date.parse(endedAt) - Date.parse(createdAt)));
    const counts = this.#groupOf(group === "" ? null : group);
    counts.sessions += 1;
    counts.turns += turns;
    const declared = totals === null ? null : (JSON.parse(totals) as DeclaredTotals | null);
    if (declared !== null) counts.declared = mergeLedgers(counts.declared, ledgerOfTotals(declared));
  }

  totals(): SessionTotals {
    return {
      statuses: this.#statuses,
      withErrors: this.#withErrors,
      durationsMs: this.#durations.sort((a, b) => a - b),
      groups: [...this.#groups].map(([group, counts]) => ({ group, ...counts })),
    };
  }

  #groupOf(name: string | null): Group {
    let group = this.#groups.get(name);
    if (!group) {
      group = { sessions: 0, turns: 0, declared: EMPTY_LEDGER };
      this.#groups.set(name, group);
    }
    return group;
  }
}
