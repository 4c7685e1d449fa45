import type { Database } from "better-sqlite3";
import type { Json } from "../../../domain/json.ts";
import type { FileIdentity, ReadCursor } from "../../../domain/read-cursor.ts";
import type { SourceCursor } from "../../store.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { rowSum } from "./row-sum.ts";

interface KeptCursor {
  readonly source: string;
  readonly byte_offset: number;
  readonly file: string | null;
  readonly memory: string;
}

const COLUMNS = "source, byte_offset, file, memory";

/** How far each source of a session was read. */
export class CursorTable {
  readonly #find: LazyStatement<[number, string], KeptCursor>;
  readonly #findById: LazyStatement<[string, string], KeptCursor>;
  readonly #all: LazyStatement<
    [],
    readonly [session: number, source: string, offset: number, file: string | null]
  >;
  readonly #ids: LazyStatement<[], readonly [no: number, id: string]>;
  readonly #replace: LazyStatement<[number, ...(string | number | null)[]]>;

  constructor(db: Database) {
    this.#find = new LazyStatement(
      db,
      `SELECT ${COLUMNS} FROM read_cursors WHERE session = ? AND source = ?`,
    );
    this.#findById = new LazyStatement(
      db,
      `SELECT ${COLUMNS} FROM read_cursors WHERE session = (SELECT no FROM sessions WHERE id = ?) AND source = ?`,
    );
    this.#all = new LazyStatement(db, "SELECT session, source, byte_offset, file FROM read_cursors", {
      asValues: true,
    });
    this.#ids = new LazyStatement(db, "SELECT no, id FROM sessions", { asValues: true });
    this.#replace = new LazyStatement(
      db,
      `INSERT OR REPLACE INTO read_cursors (session, ${COLUMNS}, sum) VALUES (?, ?, ?, ?, ?, ?)`,
    );
  }

  find(sessionNo: number, source: string): ReadCursor | undefined {
    const kept = this.#find.get(sessionNo, source);
    return kept && toCursor(kept);
  }

  findById(sessionId: string, source: string): ReadCursor | undefined {
    const kept = this.#findById.get(sessionId, source);
    return kept && toCursor(kept);
  }

  /** A damaged one counts as none, as below. */
  all(): SourceCursor[] {
    const cursors: SourceCursor[] = [];
    // The index of ids alone answers this; a join would read a page of every session.
    const ids = new Map(this.#ids.all());
    for (const [session, source, byteOffset, file] of this.#all.all()) {
      const sessionId = ids.get(session);
      const identity = file === null ? null : parseIdentity(file);
      if (sessionId !== undefined && identity !== undefined)
        cursors.push({ sessionId, source, byteOffset, file: identity });
    }
    return cursors;
  }

  replace(sessionNo: number, { source, byteOffset, file, memory }: ReadCursor): void {
    const values = [source, byteOffset, file && JSON.stringify(file), JSON.stringify(memory)];
    this.#replace.run(sessionNo, ...values, rowSum(sessionNo, ...values));
  }
}

/** A damaged one counts as none: reading from the beginning adds nothing twice. */
function toCursor(kept: KeptCursor): ReadCursor | undefined {
  try {
    return {
      source: kept.source,
      byteOffset: kept.byte_offset,
      file: kept.file === null ? null : (JSON.parse(kept.file) as FileIdentity),
      memory: JSON.parse(kept.memory) as Json,
    };
  } catch {
    return undefined;
  }
}

function parseIdentity(file: string): FileIdentity | undefined {
  try {
    return JSON.parse(file) as FileIdentity;
  } catch {
    return undefined;
  }
}
