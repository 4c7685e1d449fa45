import type { Database } from "better-sqlite3";
import { spaced } from "../../../domain/search/tokens.ts";
import { DEFAULT_IDENTITY, type SessionRow } from "../../../domain/session/session.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import { LazyStatement } from "./lazy-statement.ts";

/** The words of entries and of what sessions say of themselves. The text itself is stored elsewhere, once. */
export class SearchIndex {
  readonly #insert: LazyStatement<[number, string]>;
  readonly #delete: LazyStatement<[number]>;

  constructor(db: Database) {
    this.#insert = new LazyStatement(db, "INSERT INTO search (rowid, text) VALUES (?, ?)");
    this.#delete = new LazyStatement(db, "DELETE FROM search WHERE rowid = ?");
  }

  learnEntry(feed: number, entry: NewEntry): void {
    const text = textOfEntry(entry);
    if (text !== "") this.#insert.run(feed, spaced(text));
  }

  learnSession(no: number, row: SessionRow, before: SessionRow | undefined): void {
    if (before && saysTheSame(row, before)) return;
    if (before) this.#delete.run(-no);
    const text = textOfSession(row);
    if (text !== "") this.#insert.run(-no, spaced(text));
  }

  forget(rows: Iterable<number>): void {
    for (const row of rows) this.#delete.run(row);
  }
}

/** The searchable text of an entry: its own, and what went into a tool and came out of it. */
export function textOfEntry({ text, tool }: NewEntry): string {
  const parts = [text, tool?.name, searchable(tool?.params), searchable(tool?.result)];
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join("\n");
}

function searchable(value: unknown): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
}

const SESSION_TEXTS = [
  "name",
  "agentName",
  "purpose",
  "goal",
  "summary",
  "role",
  "taskId",
  "chainId",
] as const;

/** Nobody said the purpose that a session has by default, and a word that all of them have finds nothing. */
export function textOfSession(row: SessionRow): string {
  const purpose = row.purpose === DEFAULT_IDENTITY.purpose ? null : row.purpose;
  const said = { ...row, purpose };
  const texts = [...SESSION_TEXTS.map((field) => said[field]), row.lastError?.message];
  return texts.filter((text) => text !== null && text !== undefined).join("\n");
}

/** Written out field by field: it is asked at every change. */
function saysTheSame(row: SessionRow, before: SessionRow): boolean {
  return (
    row.lastError === before.lastError &&
    row.summary === before.summary &&
    row.name === before.name &&
    row.agentName === before.agentName &&
    row.purpose === before.purpose &&
    row.goal === before.goal &&
    row.role === before.role &&
    row.taskId === before.taskId &&
    row.chainId === before.chainId
  );
}
