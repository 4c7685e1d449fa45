import type { Database } from "better-sqlite3";
import { rowSum } from "../tables/row-sum.ts";
import { LEDGER_COLUMNS } from "../tables/usage-table.ts";
import { REMOVED_USAGE_COLUMNS } from "../tables/usage-totals.ts";

type Value = string | number | null;
type Write = <T>(work: () => T) => Promise<T>;

interface Table {
  readonly name: string;
  /** The columns that tell its rows apart; those that hold text are redacted with the rest. */
  readonly key: readonly string[];
  readonly texts: readonly string[];
  /** In the order of its checksum; none where it has none. */
  readonly summed?: readonly string[];
}

/** Rows beside events and sessions that hold the words of users and agents. */
const TABLES: readonly Table[] = [
  { name: "sessions", key: ["no"], texts: ["observed"] },
  {
    name: "requests",
    key: ["session", "request_key"],
    texts: ["model", "service_tier", "speed", "priced_by"],
    summed: ["session", ...LEDGER_COLUMNS],
  },
  {
    name: "read_cursors",
    key: ["session", "source"],
    texts: ["source", "memory"],
    summed: ["session", "source", "byte_offset", "file", "memory"],
  },
  {
    name: "unknown_records",
    key: ["no"],
    texts: ["type", "text"],
    summed: ["session", "key", "type", "text", "whole"],
  },
  { name: "tool_uses", key: ["session", "tool"], texts: ["tool"] },
  { name: "delegations", key: ["no"], texts: ["agent_name", "task_id", "reason"] },
  {
    name: "tombstones",
    key: ["id"],
    texts: ["native_id", "name"],
    summed: ["id", "agent_type", "native_id", "name", "at"],
  },
  {
    name: "removed_usage",
    key: ["quarter", "agent", "name", "model", "purpose", "folder"],
    texts: ["agent", "name", "model", "purpose", "folder"],
    summed: REMOVED_USAGE_COLUMNS.split(", "),
  },
];

/** How many rows are written in one transaction. */
const CHUNK = 200;

/** Redacts the other tables, and says how many rows held something. */
export async function redactTables(
  db: Database,
  write: Write,
  { redact, isDry }: { readonly redact: <T>(value: T) => T; readonly isDry: boolean },
): Promise<number> {
  let found = 0;
  for (const table of TABLES) {
    const changed = changedRows(db, table, redact);
    found += changed.length;
    while (!isDry && changed.length > 0) {
      const some = changed.splice(0, CHUNK);
      await write(() => update(db, table, some));
    }
  }
  return found;
}

type Row = Readonly<Record<string, Value>>;
interface ChangedRow {
  readonly row: Row;
  readonly texts: Row;
}

function changedRows(
  db: Database,
  { name, key, texts, summed = [] }: Table,
  redact: <T>(value: T) => T,
): ChangedRow[] {
  const columns = [...new Set([...key, ...texts, ...summed])].join(", ");
  const changed: ChangedRow[] = [];
  for (const row of db.prepare<[], Row>(`SELECT ${columns} FROM ${name}`).iterate()) {
    const before = Object.fromEntries(texts.map((text) => [text, row[text] ?? null]));
    const after = Object.fromEntries(texts.map((text) => [text, redactText(row[text] ?? null, redact)]));
    if (texts.some((text) => before[text] !== after[text])) changed.push({ row, texts: after });
  }
  return changed;
}

/** A column of JSON is redacted inside, as it was when it was written. */
function redactText(value: Value, redact: <T>(value: T) => T): Value {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return redact(value);
  try {
    const parsed: unknown = JSON.parse(value);
    const redacted = redact(parsed);
    return redacted === parsed ? value : JSON.stringify(redacted);
  } catch {
    return redact(value);
  }
}

/** The first of two rows stays that only a secret told apart: what the second counted cannot be told from it any more. */
function update(db: Database, { name, key, texts, summed }: Table, changed: readonly ChangedRow[]): void {
  const sets = [...texts, ...(summed ? ["sum"] : [])].map((column) => `${column} = ?`).join(", ");
  const where = key.map((column) => `${column} IS ?`).join(" AND ");
  const statement = db.prepare(`UPDATE ${name} SET ${sets} WHERE ${where}`);
  const remove = db.prepare(`DELETE FROM ${name} WHERE ${where}`);
  for (const { row, texts: after } of changed) {
    const all = { ...row, ...after };
    const values = texts.map((text) => after[text] ?? null);
    const sum = summed ? [rowSum(...summed.map((column) => all[column] ?? null))] : [];
    const keys = key.map((column) => row[column] ?? null);
    try {
      statement.run(...values, ...sum, ...keys);
    } catch (error) {
      if (!String((error as { code?: unknown }).code).startsWith("SQLITE_CONSTRAINT")) throw error;
      remove.run(...keys);
    }
  }
}
