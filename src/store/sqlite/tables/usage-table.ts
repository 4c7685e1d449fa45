import type { Database } from "better-sqlite3";
import { addToLedger, EMPTY_LEDGER, type LedgerSum, type UsageEntry } from "../../../domain/usage.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { NEXT_CHANGE } from "./next-change.ts";
import { rowSum } from "./row-sum.ts";

export interface KeptRequest {
  readonly request_key: string;
  readonly at: string;
  readonly model: string | null;
  readonly tokens_input: number | null;
  readonly tokens_output: number | null;
  readonly tokens_cache_read: number | null;
  readonly tokens_cache_write: number | null;
  readonly tokens_cache_write_hour: number | null;
  readonly tokens_reasoning: number | null;
  readonly web_searches: number | null;
  readonly service_tier: string | null;
  readonly speed: string | null;
  readonly reported_nano_usd: number | null;
  readonly computed_nano_usd: number | null;
  readonly priced_by: string | null;
  readonly shared: number;
}

/** In the order of `valuesOf`, over which each row has a sum. */
export const LEDGER_COLUMNS = [
  ...["request_key", "at", "model", "tokens_input", "tokens_output", "tokens_cache_read"],
  ...["tokens_cache_write", "tokens_cache_write_hour", "tokens_reasoning", "web_searches"],
  ...["service_tier", "speed", "reported_nano_usd", "computed_nano_usd", "priced_by"],
] as const;

export const REQUEST_COLUMNS = [...LEDGER_COLUMNS, "shared"].map((name) => `r.${name}`).join(", ");

export class UsageTable {
  readonly #find: LazyStatement<[number, string], KeptRequest>;
  readonly #owner: LazyStatement<[string], { readonly session: number }>;
  readonly #replace: LazyStatement<unknown[]>;
  readonly #page: LazyStatement<[string, string, number], KeptRequest>;
  readonly #ofSession: LazyStatement<[number], KeptRequest>;

  constructor(db: Database) {
    const columns = LEDGER_COLUMNS.join(", ");
    this.#find = new LazyStatement(
      db,
      `SELECT ${columns}, shared FROM requests WHERE session = ? AND request_key = ?`,
    );
    this.#owner = new LazyStatement(db, "SELECT session FROM requests WHERE request_key = ? AND shared = 1");
    this.#replace = new LazyStatement(
      db,
      `INSERT OR REPLACE INTO requests (session, ${columns}, sum, shared, changed)
       VALUES (?, ${LEDGER_COLUMNS.map(() => "?").join(", ")}, ?, ?, ${NEXT_CHANGE})`,
    );
    this.#page = new LazyStatement(
      db,
      `SELECT ${columns}, shared FROM requests WHERE session = (SELECT no FROM sessions WHERE id = ?) AND request_key > ?
       ORDER BY request_key LIMIT ?`,
    );
    this.#ofSession = new LazyStatement(db, `SELECT ${columns}, shared FROM requests WHERE session = ?`);
  }

  find(sessionNo: number, requestKey: string): UsageEntry | undefined {
    const kept = this.#find.get(sessionNo, requestKey);
    return kept && toRequest(kept);
  }

  /** Whether another session has reported this request, under the key that its provider gave it. */
  isOwnedByOther(sessionNo: number, request: UsageEntry): boolean {
    const owner = request.isShared ? this.#owner.get(request.requestKey) : undefined;
    return owner !== undefined && owner.session !== sessionNo;
  }

  /** Writes a request over the one that stands under its key. */
  replace(sessionNo: number, request: UsageEntry): void {
    const values = valuesOf(request);
    this.#replace.run(sessionNo, ...values, rowSum(sessionNo, ...values), request.isShared ? 1 : 0);
  }

  page(sessionId: string, after: string, limit: number): UsageEntry[] {
    return this.#page.all(sessionId, after, limit).map(toRequest);
  }

  sumOf(sessionNo: number): LedgerSum {
    let sum = EMPTY_LEDGER;
    for (const kept of this.#ofSession.iterate(sessionNo)) sum = addToLedger(sum, toRequest(kept));
    return sum;
  }
}

function valuesOf(request: UsageEntry): (string | number | null)[] {
  return [
    request.requestKey,
    request.at,
    request.model,
    request.tokensInput,
    request.tokensOutput,
    request.tokensCacheRead,
    request.tokensCacheWrite,
    request.tokensCacheWriteHour,
    request.tokensReasoning,
    request.webSearches,
    request.serviceTier,
    request.speed,
    request.reportedNanoUsd,
    request.computedNanoUsd,
    request.pricedBy,
  ];
}

export function toRequest(kept: KeptRequest): UsageEntry {
  return {
    requestKey: kept.request_key,
    ...(kept.shared === 1 ? { isShared: true } : {}),
    at: kept.at,
    model: kept.model,
    tokensInput: kept.tokens_input,
    tokensOutput: kept.tokens_output,
    tokensCacheRead: kept.tokens_cache_read,
    tokensCacheWrite: kept.tokens_cache_write,
    tokensCacheWriteHour: kept.tokens_cache_write_hour,
    tokensReasoning: kept.tokens_reasoning,
    webSearches: kept.web_searches,
    serviceTier: kept.service_tier,
    speed: kept.speed,
    reportedNanoUsd: kept.reported_nano_usd,
    computedNanoUsd: kept.computed_nano_usd,
    pricedBy: kept.priced_by,
  };
}
