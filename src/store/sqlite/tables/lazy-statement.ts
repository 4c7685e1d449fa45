import type { Database, RunResult, Statement } from "better-sqlite3";

/** A statement that is prepared when it is first used: most programs that open a store need only a few of all. */
export class LazyStatement<Parameters extends unknown[], Result = unknown> {
  readonly #db: Database;
  readonly #sql: string;
  readonly #asValues: boolean;
  #prepared: Statement<Parameters, Result> | undefined;

  /** `asValues`: rows come as lists of values, which is faster than objects. */
  constructor(db: Database, sql: string, { asValues = false } = {}) {
    this.#db = db;
    this.#sql = sql;
    this.#asValues = asValues;
  }

  get(...parameters: Parameters): Result | undefined {
    return this.ready.get(...parameters);
  }

  all(...parameters: Parameters): Result[] {
    return this.ready.all(...parameters);
  }

  iterate(...parameters: Parameters): IterableIterator<Result> {
    return this.ready.iterate(...parameters);
  }

  run(...parameters: Parameters): RunResult {
    return this.ready.run(...parameters);
  }

  /** The statement itself, for where every change passes. */
  get ready(): Statement<Parameters, Result> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  #prepare(): Statement<Parameters, Result> {
    const statement = this.#db.prepare<Parameters, Result>(this.#sql);
    return this.#asValues ? statement.raw() : statement;
  }
}
