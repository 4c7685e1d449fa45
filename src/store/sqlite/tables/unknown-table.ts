import type { Database } from "better-sqlite3";
import {
  type KeptUnknownRecord,
  keepUnknown,
  type NewUnknownRecord,
} from "../../../domain/transcript/unknown-record.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { rowSum } from "./row-sum.ts";

type KeptRow = Omit<KeptUnknownRecord, "isWhole"> & { readonly whole: number };

/** Records of transcripts that this release does not know. */
export class UnknownTable {
  readonly #add: LazyStatement<[number, string, string, string, number, number]>;
  readonly #page: LazyStatement<[string, number, number], KeptRow>;

  constructor(db: Database) {
    this.#add = new LazyStatement(
      db,
      `INSERT INTO unknown_records (session, key, type, text, whole, sum) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (session, key) DO NOTHING`,
    );
    this.#page = new LazyStatement(
      db,
      `SELECT no, key, type, text, whole FROM unknown_records
       WHERE session = (SELECT no FROM sessions WHERE id = ?) AND no > ? ORDER BY no LIMIT ?`,
    );
  }

  /** One whose key is known already is left as it is. */
  add(sessionNo: number, record: NewUnknownRecord): void {
    const { key, type, text, isWhole } = keepUnknown(record);
    const whole = isWhole ? 1 : 0;
    this.#add.run(sessionNo, key, type, text, whole, rowSum(sessionNo, key, type, text, whole));
  }

  page(
    sessionId: string,
    { after = 0, limit = 100 }: { after?: number; limit?: number } = {},
  ): KeptUnknownRecord[] {
    return this.#page
      .all(sessionId, after, limit)
      .map(({ whole, ...kept }) => ({ ...kept, isWhole: whole === 1 }));
  }
}
