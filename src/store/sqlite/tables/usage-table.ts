import { isDeepStrictEqual } from "node:util";
import type { Database } from "better-sqlite3";
import { RollcallError } from "../../../domain/errors.ts";
import type { SessionRow } from "../../../domain/session/session.ts";
import {
  addToLedger,
  EMPTY_LEDGER,
  isSuperseded,
  type LedgerSum,
  type UsageEntry,
  type UsageGroup,
} from "../../../domain/usage.ts";
import type { UsageTotal, UsageTotalsQuery } from "../../store.ts";
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

/** What a group of requests has in common, in the words of `stats --by`. */
type Group = Readonly<Record<UsageGroup, string>>;
type KeptTotal = Group & { readonly ledger: string };

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
  readonly #living: LazyStatement<[string], KeptRequest & Group>;
  readonly #removed: LazyStatement<[string], KeptTotal>;
  readonly #findRemoved: LazyStatement<string[], KeptTotal>;
  readonly #keepRemoved: LazyStatement<(string | number)[]>;

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
    this.#living = new LazyStatement(
      db,
      `SELECT ${REQUEST_COLUMNS}, substr(r.at, 1, 10) AS day, coalesce(s.agent_name, s.agent_type) AS agent,
         coalesce(s.body ->> '$.purpose', '') AS purpose, coalesce(s.body ->> '$.workspacePath', '') AS folder
       FROM requests r JOIN sessions s ON s.no = r.session WHERE r.at >= ?`,
    );
    this.#removed = new LazyStatement(db, "SELECT * FROM removed_usage WHERE day >= ?");
    this.#findRemoved = new LazyStatement(
      db,
      "SELECT * FROM removed_usage WHERE day = ? AND agent = ? AND model = ? AND purpose = ? AND folder = ?",
    );
    this.#keepRemoved = new LazyStatement(
      db,
      "INSERT OR REPLACE INTO removed_usage VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
  }

  /** Whether exactly this stands under its key already, or a later report of the same request. */
  has(sessionNo: number, request: UsageEntry): boolean {
    const kept = this.#find.get(sessionNo, request.requestKey);
    if (kept === undefined) return false;
    const earlier = toRequest(kept);
    return isSuperseded(request, earlier) || isDeepStrictEqual(earlier, request);
  }

  /** Whether another session has reported this request, under the key that its provider gave it. */
  isOwnedByOther(sessionNo: number, request: UsageEntry): boolean {
    const owner = request.isShared ? this.#owner.get(request.requestKey) : undefined;
    return owner !== undefined && owner.session !== sessionNo;
  }

  /** Writes a request and returns the one that stood under its key before. */
  replace(sessionNo: number, request: UsageEntry): UsageEntry | undefined {
    const earlier = this.#find.get(sessionNo, request.requestKey);
    const values = valuesOf(request);
    this.#replace.run(sessionNo, ...values, rowSum(sessionNo, ...values), request.isShared ? 1 : 0);
    return earlier && toRequest(earlier);
  }

  page(sessionId: string, after: string, limit: number): UsageEntry[] {
    return this.#page.all(sessionId, after, limit).map(toRequest);
  }

  sumOf(sessionNo: number): LedgerSum {
    let sum = EMPTY_LEDGER;
    for (const kept of this.#ofSession.iterate(sessionNo)) sum = addToLedger(sum, toRequest(kept));
    return sum;
  }

  /** Adds what a session that goes away has used to the totals that stay. */
  keepTotals(sessionNo: number, row: SessionRow): void {
    for (const kept of this.#ofSession.all(sessionNo)) {
      const key = [
        kept.at.slice(0, 10),
        row.agentName ?? row.agentType,
        kept.model ?? "",
        row.purpose ?? "",
        row.workspacePath ?? "",
      ];
      const found = this.#findRemoved.get(...key);
      const sum = found ? (JSON.parse(found.ledger) as LedgerSum) : EMPTY_LEDGER;
      const text = JSON.stringify(addToLedger(sum, toRequest(kept)));
      this.#keepRemoved.run(...key, text, rowSum(...key, text));
    }
  }

  totals({ by, since = "" }: UsageTotalsQuery): UsageTotal[] {
    const groups = new Map<string | null, LedgerSum>();
    const groupOf = (kept: Group & { readonly model: string | null }) =>
      by === null ? null : (kept[by] ?? "");
    for (const kept of this.#living.iterate(since)) {
      const group = groupOf(kept);
      groups.set(group, addToLedger(groups.get(group) ?? EMPTY_LEDGER, toRequest(kept)));
    }
    for (const kept of this.#removed.iterate(since.slice(0, 10))) {
      const group = groupOf(kept);
      groups.set(group, merge(groups.get(group) ?? EMPTY_LEDGER, parseLedger(kept.ledger)));
    }
    return [...groups].map(([group, ledger]) => ({ group: group === "" ? null : group, ledger }));
  }
}

/** Of a session, or of what removed ones had used. */
export function parseLedger(text: string): LedgerSum {
  try {
    return JSON.parse(text) as LedgerSum;
  } catch (cause) {
    throw new RollcallError("corrupt", "A sum of usage is damaged and was left as it is.", {
      hint: "See `rollcall verify`; `rollcall restore FILE` goes back to a backup.",
      cause,
    });
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

function merge(a: LedgerSum, b: LedgerSum): LedgerSum {
  const add = (x: LedgerSum["sums"], y: LedgerSum["sums"]): LedgerSum["sums"] => ({
    tokensInput: x.tokensInput + y.tokensInput,
    tokensOutput: x.tokensOutput + y.tokensOutput,
    tokensCacheRead: x.tokensCacheRead + y.tokensCacheRead,
    tokensCacheWrite: x.tokensCacheWrite + y.tokensCacheWrite,
    tokensReasoning: x.tokensReasoning + y.tokensReasoning,
  });
  return {
    requests: a.requests + b.requests,
    sums: add(a.sums, b.sums),
    measured: add(a.measured, b.measured),
    nanoUsd: a.nanoUsd + b.nanoUsd,
    reported: a.reported + b.reported,
    computed: a.computed + b.computed,
  };
}
