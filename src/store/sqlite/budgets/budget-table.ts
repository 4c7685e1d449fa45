import type { Database } from "better-sqlite3";
import type { Spending } from "../../../domain/limits/limit.ts";
import { EMPTY_LEDGER, type LedgerSum, mergeLedgers } from "../../../domain/usage.ts";
import { LazyStatement } from "../tables/lazy-statement.ts";

/** A session counts with what removed sessions below it had used. */
const SUMS = [
  ["nanoUsd", "'$.nanoUsd'"],
  ["requests", "'$.requests'"],
  ["reported", "'$.reported'"],
  ["computed", "'$.computed'"],
  ["input", "'$.sums.tokensInput'"],
  ["output", "'$.sums.tokensOutput'"],
  ["cacheRead", "'$.sums.tokensCacheRead'"],
  ["cacheWrite", "'$.sums.tokensCacheWrite'"],
].map(
  ([name, path]) =>
    `coalesce(sum(ledger ->> ${path}), 0) + coalesce(sum(removed_ledger ->> ${path}), 0) AS ${name}`,
);

interface KeptSums {
  readonly nanoUsd: number;
  readonly requests: number;
  readonly reported: number;
  readonly computed: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface RemovedChild {
  readonly parent_id: string | null;
  readonly ledger: string | null;
  readonly removed_ledger: string | null;
}

const FAMILY = `WITH RECURSIVE family (id) AS (
  SELECT ? UNION SELECT c.id FROM family f JOIN sessions c ON c.parent_id = f.id
)`;

/** The lines of descent that budgets follow. */
export class BudgetTable {
  readonly #above: LazyStatement<[string], { readonly id: string }>;
  readonly #spending: LazyStatement<[string], KeptSums>;
  readonly #carriedBelow: LazyStatement<[string], { readonly id: string }>;
  readonly #removed: LazyStatement<[string], { readonly removed_ledger: string | null }>;
  readonly #setRemoved: LazyStatement<[string, string]>;

  constructor(db: Database) {
    this.#above = new LazyStatement(
      db,
      `WITH RECURSIVE above (id, parent_id, budgeted) AS (
         SELECT id, parent_id, budgeted FROM sessions WHERE id = ?
         UNION SELECT s.id, s.parent_id, s.budgeted FROM above a JOIN sessions s ON s.id = a.parent_id
       ) SELECT id FROM above WHERE budgeted = 1`,
    );
    this.#spending = new LazyStatement(
      db,
      // A damaged sum is left out here, and reported by whoever reads that session.
      `${FAMILY} SELECT ${SUMS.join(", ")} FROM family JOIN sessions USING (id)
       WHERE json_valid(coalesce(ledger, '{}')) AND json_valid(coalesce(removed_ledger, '{}'))`,
    );
    this.#carriedBelow = new LazyStatement(
      db,
      `${FAMILY} SELECT id FROM family JOIN sessions USING (id)
       WHERE origin = 'started' AND state NOT IN ('stopped', 'failed', 'stopping')`,
    );
    this.#removed = new LazyStatement(db, "SELECT removed_ledger FROM sessions WHERE id = ?");
    this.#setRemoved = new LazyStatement(db, "UPDATE sessions SET removed_ledger = ? WHERE id = ?");
  }

  /** Sessions with a budget, from this one upwards, the nearest first. */
  budgetedFrom(id: string): string[] {
    return this.#above.all(id).map((kept) => kept.id);
  }

  /** Used by a session and all below it. */
  spendingOf(id: string): Spending {
    const sums = this.#spending.get(id) as KeptSums;
    const { nanoUsd, requests, reported, computed, input, output, cacheRead, cacheWrite } = sums;
    const tokens = input + output + cacheRead + cacheWrite;
    return { nanoUsd, tokens, requests, unpriced: requests - reported - computed };
  }

  /** Sessions of ours that may still run, from this one downwards. */
  carriedFrom(id: string): string[] {
    return this.#carriedBelow.all(id).map((kept) => kept.id);
  }

  /** A parent keeps what its removed child had used: a budget does not grow by forgetting. */
  keepRemoved(child: RemovedChild): void {
    const parent = child.parent_id === null ? undefined : this.#removed.get(child.parent_id);
    if (!parent || child.parent_id === null || (child.ledger ?? child.removed_ledger) === null) return;
    const sum = [parent.removed_ledger, child.ledger, child.removed_ledger]
      .map(readLedger)
      .reduce(mergeLedgers);
    this.#setRemoved.run(JSON.stringify(sum), child.parent_id);
  }
}

/** A damaged sum keeps nobody from removing its session. */
function readLedger(text: string | null): LedgerSum {
  try {
    return text === null ? EMPTY_LEDGER : (JSON.parse(text) as LedgerSum);
  } catch {
    return EMPTY_LEDGER;
  }
}
