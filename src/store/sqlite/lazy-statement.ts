import type { Database, RunResult, Statement } from "better-sqlite3";

/** A statement that is prepared when it is first used: most programs that open a store need only a few of all. */
export class LazyStatement<Parameters extends unknown[], Result = unknown> {
  readonly #db: Database;
  readonly #sql: string;
  #prepared: Statement<Parameters, Result> | undefined;

  constructor(db: Database, sql: string) {
    this.#db = db;
    this.#sql = sql;
  }

  get(...parameters: Parameters): Result | undefined {
    return this.#use().get(...parameters);
  }

  all(...parameters: Parameters): Result[] {
    return this.#use().all(...parameters);
  }

  iterate(...parameters: Parameters): IterableIterator<Result> {
    return this.#use().iterate(...parameters);
  }

  run(...parameters: Parameters): RunResult {
    return this.#use().run(...parameters);
  }

  #use(): Statement<Parameters, Result> {
    this.#prepared ??= this.#db.prepare<Parameters, Result>(this.#sql);
    return this.#prepared;
  }
}
