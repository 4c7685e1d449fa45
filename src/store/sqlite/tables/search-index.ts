import type { Database } from "better-sqlite3";
import { RollcallError } from "../../../domain/errors.ts";
import { DEFAULT_IDENTITY, type SessionRow } from "../../../domain/session/session.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import type { Page, SearchHit, SearchQuery } from "../../store.ts";
import { parseBody } from "./event-table.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { parseRow } from "./session-table.ts";

interface Match {
  readonly rowid: number;
  readonly rank: number;
}

const EXCERPT_LENGTH = 160;

/** Full-text search over entries and over what a session says of itself. The text itself is stored elsewhere, once. */
export class SearchIndex {
  readonly #insert: LazyStatement<[number, string]>;
  readonly #delete: LazyStatement<[number]>;
  readonly #match: LazyStatement<[string, number, number], Match>;
  readonly #entry: LazyStatement<[number], { seq: number; at: string; body: string; id: string }>;
  readonly #session: LazyStatement<[number], { id: string; body: string }>;

  constructor(db: Database) {
    this.#insert = new LazyStatement(db, "INSERT INTO search (rowid, text) VALUES (?, ?)");
    this.#delete = new LazyStatement(db, "DELETE FROM search WHERE rowid = ?");
    this.#match = new LazyStatement(
      db,
      "SELECT rowid, rank FROM search WHERE search MATCH ? ORDER BY rank, rowid DESC LIMIT ? OFFSET ?",
    );
    this.#entry = new LazyStatement(
      db,
      "SELECT e.seq, e.at, e.body, s.id FROM events e JOIN sessions s ON s.no = e.session WHERE e.feed = ?",
    );
    this.#session = new LazyStatement(db, "SELECT id, body FROM sessions WHERE no = ?");
  }

  learnEntry(feed: number, entry: NewEntry): void {
    const text = textOfEntry(entry);
    if (text !== "") this.#insert.run(feed, text);
  }

  learnSession(no: number, row: SessionRow, before: SessionRow | undefined): void {
    if (before && saysTheSame(row, before)) return;
    if (before) this.#delete.run(-no);
    const text = textOfSession(row);
    if (text !== "") this.#insert.run(-no, text);
  }

  forget(rows: Iterable<number>): void {
    for (const row of rows) this.#delete.run(row);
  }

  search({ text, limit, cursor }: SearchQuery): Page<SearchHit> {
    const words = parseWords(text);
    const offset = parseOffset(cursor);
    const matches = this.#match.all(words.map(quoteWord).join(" "), limit + 1, offset);
    const corrupt = new Set<string>();
    const items = matches.slice(0, limit).flatMap(({ rowid }) => this.#hitOrNote(rowid, words, corrupt));
    const nextCursor = matches.length > limit ? String(offset + limit) : undefined;
    return { items, nextCursor, corrupt: [...corrupt] };
  }

  #hitOrNote(rowid: number, words: readonly string[], corrupt: Set<string>): SearchHit[] {
    try {
      return this.#hit(rowid, words);
    } catch (error) {
      if (!(error instanceof RollcallError)) throw error;
      corrupt.add(String(error.facts.sessionId));
      return [];
    }
  }

  #hit(rowid: number, words: readonly string[]): SearchHit[] {
    if (rowid < 0) {
      const kept = this.#session.get(-rowid);
      if (!kept) return [];
      const row = parseRow(kept.id, kept.body);
      const excerpt = excerptOf(textOfSession(row), words);
      return [{ sessionId: row.id, seq: null, at: row.createdAt, role: null, kind: "session", excerpt }];
    }
    const kept = this.#entry.get(rowid);
    const body = kept && parseBody(kept.body, kept.id);
    if (!kept || body?.kind !== "entry_added") return [];
    const { role, kind } = body.entry;
    return [
      {
        sessionId: kept.id,
        seq: kept.seq,
        at: kept.at,
        role,
        kind,
        excerpt: excerptOf(textOfEntry(body.entry), words),
      },
    ];
  }
}

/** What a search can find of an entry: its text, and what went into a tool and came out of it. */
function textOfEntry({ text, tool }: NewEntry): string {
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
function textOfSession(row: SessionRow): string {
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

/** Words and quoted phrases, none of them able to be an operator of the engine's own language. */
function parseWords(text: string): string[] {
  // The engine reads a query only up to a NUL.
  const words = [...text.replaceAll("\0", " ").matchAll(/"([^"]+)"|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  const usable = words.filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (usable.length > 0) return usable;
  throw new RollcallError("bad_input", "The search has no word in it.", {
    hint: "Search for letters or digits.",
  });
}

function quoteWord(word: string): string {
  const isPrefix = word.endsWith("*");
  return `"${word.replaceAll('"', "").replace(/\*+$/, "")}"${isPrefix ? "*" : ""}`;
}

function parseOffset(cursor: string | undefined): number {
  const offset = Number(cursor ?? 0);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new RollcallError("bad_input", `${JSON.stringify(cursor)} is not a cursor of a search.`);
}

/** The stretch around the first word found, on one line. */
function excerptOf(text: string, words: readonly string[]): string {
  const folded = fold(text);
  const found = words
    .map((word) => folded.indexOf(fold(word.replace(/\*+$/, ""))))
    .filter((index) => index >= 0);
  const start = Math.max(0, Math.min(...(found.length > 0 ? found : [0])) - 40);
  const stretch = text
    .slice(start, start + EXCERPT_LENGTH)
    .replace(/\s+/g, " ")
    .trim();
  return `${start > 0 ? "…" : ""}${stretch}${start + EXCERPT_LENGTH < text.length ? "…" : ""}`;
}

/** Case and accents as the index folds them; never changes the length. */
function fold(text: string): string {
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.length === text.length ? plain : text.toLowerCase();
}
