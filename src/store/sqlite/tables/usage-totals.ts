import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../../domain/session/session.ts";
import { type LedgerSum, ledgerOfTotals, mergeLedgers } from "../../../domain/usage.ts";
import type { TotalsGroup, TotalsQuery, UsageTotal } from "../../statistics.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { rowSum } from "./row-sum.ts";

const BUCKETS = ["input", "output", "cache_read", "cache_write", "reasoning"] as const;
const FIELDS = [
  "tokensInput",
  "tokensOutput",
  "tokensCacheRead",
  "tokensCacheWrite",
  "tokensReasoning",
] as const;

/** A sum in columns, in the order of `valuesOf`. */
const SUM_COLUMNS = [
  "requests",
  ...BUCKETS.flatMap((bucket) => [`tokens_${bucket}`, `measured_${bucket}`]),
  ...["nano_usd", "reported", "computed"],
];
/** Everything that requests of removed sessions are told apart by. */
const KEY_COLUMNS = ["quarter", "agent", "name", "model", "purpose", "folder"] as const;

export const REMOVED_USAGE_COLUMNS = [...KEY_COLUMNS, ...SUM_COLUMNS].join(", ");

/** The sums of a group of requests, one column for each of `SUM_COLUMNS`. */
const OVER_REQUESTS = [
  "count(*)",
  ...BUCKETS.flatMap((bucket) => [`coalesce(sum(tokens_${bucket}), 0)`, `count(tokens_${bucket})`]),
  "coalesce(sum(coalesce(reported_nano_usd, computed_nano_usd)), 0)",
  "count(reported_nano_usd)",
  "coalesce(sum(reported_nano_usd IS NULL AND computed_nano_usd IS NOT NULL), 0)",
]
  .map((sum, index) => `${sum} AS ${SUM_COLUMNS[index]}`)
  .join(", ");

/** The same over sums. */
const OVER_SUMS = SUM_COLUMNS.map((name) => `coalesce(sum(${name}), 0)`).join(", ");

/** The quarter of an hour that a time is in, such as `2026-01-08T18:45`: days of every time zone begin with one. */
export const quarterOf = (at: string) =>
  `substr(${at}, 1, 14) || printf('%02d', CAST(substr(${at}, 15, 2) AS INTEGER) / 15 * 15)`;

/**
 * The name that each session counts under: its own, else that of the nearest session above it that has one. A tombstone
 * keeps it for the children of a session that was removed.
 */
const COUNTED_NAMES = `WITH RECURSIVE named (no, id, name) AS (
  SELECT no, id, name FROM sessions WHERE name IS NOT NULL
  UNION ALL SELECT c.no, c.id, t.name FROM tombstones t JOIN sessions c ON c.parent_id = t.id
    WHERE t.name IS NOT NULL AND c.name IS NULL
  UNION ALL SELECT c.no, c.id, n.name FROM named n JOIN sessions c ON c.parent_id = n.id WHERE c.name IS NULL
)`;

/** A field of a session; null where its row is damaged, for one such row would fail the sums of all. */
export function fieldOf(name: string): string {
  return `CASE WHEN json_valid(s.body) THEN s.body ->> '$.${name}' END`;
}

/** SQL that the groups of `sessions s` need before the SELECT, and joined to it. */
export function neededFor(by: TotalsGroup | null): { readonly before: string; readonly joined: string } {
  return by === "name"
    ? { before: COUNTED_NAMES, joined: "LEFT JOIN named n ON n.no = s.no" }
    : { before: "", joined: "" };
}

export const GROUP_OF_SESSION: Readonly<Record<Exclude<TotalsGroup, "model" | "quarter">, string>> = {
  agent: "coalesce(s.agent_name, s.agent_type)",
  name: "n.name",
  purpose: fieldOf("purpose"),
  folder: fieldOf("workspacePath"),
};

type SumValues = readonly number[];
type Totalled = readonly [group: string | null, ...sum: number[]];

/** Later than every time that is written as text. */
export const ALWAYS = "~";

interface Place {
  readonly quarter: string;
  readonly name: string | null;
  readonly model: string | null;
}

/** Sums over the ledger by group: of sessions as they are, and of what removed ones had used. */
export class UsageTotals {
  readonly #db: Database;
  readonly #byQuarter: LazyStatement<[number], Totalled>;
  readonly #find: LazyStatement<string[], SumValues>;
  readonly #replace: LazyStatement<(string | number)[]>;

  constructor(db: Database) {
    this.#db = db;
    this.#byQuarter = new LazyStatement(
      db,
      `SELECT ${quarterOf("at")} AS quarter, model, ${OVER_REQUESTS} FROM requests WHERE session = ?
       GROUP BY quarter, model`,
      { asValues: true },
    );
    const key = KEY_COLUMNS.map((name) => `${name} = ?`).join(" AND ");
    this.#find = new LazyStatement(db, `SELECT ${SUM_COLUMNS.join(", ")} FROM removed_usage WHERE ${key}`, {
      asValues: true,
    });
    const places = [...KEY_COLUMNS, ...SUM_COLUMNS, "sum"].map(() => "?").join(", ");
    this.#replace = new LazyStatement(
      db,
      `INSERT OR REPLACE INTO removed_usage (${REMOVED_USAGE_COLUMNS}, sum) VALUES (${places})`,
    );
  }

  /** Each group once, with the requests in a stretch of time; of removed sessions to the quarter of an hour. */
  totals({ by, since = "", until = ALWAYS }: TotalsQuery): UsageTotal[] {
    const groups = new Map<string | null, LedgerSum>();
    const add = ([group, ...values]: Totalled) => {
      const key = group === "" ? null : group;
      const [known, sum] = [groups.get(key), toLedger(values)];
      if (sum.requests > 0) groups.set(key, known ? mergeLedgers(known, sum) : sum);
    };
    // Without limits the whole table is read in its order, and not by the index of times.
    const isLimited = since !== "" || until !== ALWAYS;
    const times = isLimited ? [since, until] : [];
    for (const total of this.#all<Totalled>(overRequests(by, isLimited), ...times)) add(total);
    const removed = `SELECT ${by ?? "NULL"} AS grp, ${OVER_SUMS} FROM removed_usage
      WHERE quarter >= ? AND quarter || ':00.000Z' < ? GROUP BY grp`;
    const from = since === "" ? "" : floorToQuarter(since);
    for (const total of this.#all<Totalled>(removed, from, until)) add(total);
    return [...groups].map(([group, ledger]) => ({ group, ledger }));
  }

  /** Adds what a session that goes away has used to the totals that stay, under this name. */
  keep(sessionNo: number, row: SessionRow, name: string | null): void {
    const used = this.#byQuarter.all(sessionNo) as unknown as [string, string | null, ...number[]][];
    for (const [quarter, model, ...sum] of used) this.#add(row, { quarter, model, name }, toLedger(sum));
    if (used.length > 0 || !row.totals) return;
    const quarter = floorToQuarter(row.createdAt);
    this.#add(row, { quarter, model: row.model, name }, ledgerOfTotals(row.totals));
  }

  #add(
    { agentName, agentType, purpose, workspacePath }: SessionRow,
    { quarter, name, model }: Place,
    sum: LedgerSum,
  ): void {
    const key = [
      quarter,
      agentName ?? agentType,
      name ?? "",
      model ?? "",
      purpose ?? "",
      workspacePath ?? "",
    ];
    const found = this.#find.get(...key);
    const values = valuesOf(found ? mergeLedgers(toLedger(found), sum) : sum);
    this.#replace.run(...key, ...values, rowSum(...key, ...values));
  }

  /** Prepared for each question: there are as many forms of it as groups, and it is asked once in a command. */
  #all<T>(sql: string, ...parameters: readonly string[]): T[] {
    return this.#db.prepare<unknown[], T>(sql).raw().all(parameters);
  }
}

/**
 * Sums by session first, where the group is one of the session: each is looked up once, however many requests it has.
 */
function overRequests(by: TotalsGroup | null, isLimited: boolean): string {
  const requests = `FROM requests ${isLimited ? "WHERE at >= ? AND at < ?" : ""}`;
  if (by === null || by === "model" || by === "quarter") {
    const group = by === "quarter" ? quarterOf("at") : (by ?? "NULL");
    return `SELECT ${group} AS grp, ${OVER_REQUESTS} ${requests} GROUP BY grp`;
  }
  const { before, joined } = neededFor(by);
  return `${before} SELECT ${GROUP_OF_SESSION[by]} AS grp, ${OVER_SUMS}
    FROM (SELECT session, ${OVER_REQUESTS} ${requests} GROUP BY session) u JOIN sessions s ON s.no = u.session ${joined}
    GROUP BY grp`;
}

export function floorToQuarter(at: string): string {
  const minute = Math.floor(Number(at.slice(14, 16)) / 15) * 15;
  return `${at.slice(0, 14)}${String(minute).padStart(2, "0")}`;
}

function toLedger([requests = 0, ...rest]: SumValues): LedgerSum {
  const bucketAt = (index: number) =>
    Object.fromEntries(FIELDS.map((name, at) => [name, rest[at * 2 + index] ?? 0])) as LedgerSum["sums"];
  const [nanoUsd = 0, reported = 0, computed = 0] = rest.slice(FIELDS.length * 2);
  return { requests, sums: bucketAt(0), measured: bucketAt(1), nanoUsd, reported, computed };
}

function valuesOf({ requests, sums, measured, nanoUsd, reported, computed }: LedgerSum): number[] {
  const buckets = FIELDS.flatMap((name) => [sums[name], measured[name]]);
  return [requests, ...buckets, nanoUsd, reported, computed];
}
