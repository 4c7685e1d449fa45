import type { Database } from "better-sqlite3";
import { RollcallError } from "../../domain/errors.ts";
import { monotonicMs } from "../../machine/monotonic.ts";
import { LazyStatement } from "./tables/lazy-statement.ts";

interface Waiting<Tx> {
  readonly sinceMs: number;
  readonly work: (tx: Tx) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Changes of one transaction; `finish` writes what was kept back until the end of it. */
export interface Batch {
  finish(): void;
}

export interface CommitQueueOptions<Tx extends Batch> {
  readonly db: Database;
  readonly begin: () => Tx;
  readonly committed: () => void;
  /** Turns a failure of the engine into ours, and may give up the connection. */
  readonly failed: (error: unknown) => Error;
  /** Whether the connection is not to be used again after this. */
  readonly isLost?: (error: unknown) => boolean;
  /** How long work waits for another writer while the event loop goes on; the connection itself waits for a moment only. */
  readonly lockPatienceMs?: number;
}

const LOCK_STEP_MS = 20;

const MAX_BATCH = 256;

/**
 * Group commit: work that is asked for in one turn of the event loop runs in one transaction and shares its fsync.
 * Each promise settles after the commit. Work refuses by throwing a coded error before it writes anything.
 */
export class CommitQueue<Tx extends Batch> {
  readonly #options: CommitQueueOptions<Tx>;
  readonly #begin: LazyStatement<[]>;
  readonly #commit: LazyStatement<[]>;
  readonly #rollback: LazyStatement<[]>;
  #waiting: Waiting<Tx>[] = [];
  #again: NodeJS.Timeout | undefined;
  /** Why the connection was given up; whoever still waits here was not written. */
  #lost: Error | undefined;

  constructor(options: CommitQueueOptions<Tx>) {
    this.#options = options;
    // IMMEDIATE: a transaction that reads first and writes later would fail at once when another one wrote between.
    this.#begin = new LazyStatement(options.db, "BEGIN IMMEDIATE");
    this.#commit = new LazyStatement(options.db, "COMMIT");
    this.#rollback = new LazyStatement(options.db, "ROLLBACK");
  }

  add<T>(work: (tx: Tx) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.flush());
      this.#waiting.push({
        sinceMs: monotonicMs(),
        work,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
    });
  }

  /** False where another writer has to be waited for. */
  flush(): boolean {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      if (this.#run(batch) === "locked") return false;
    }
    return true;
  }

  /** In the order in which it was asked for, in front of what came meanwhile. */
  #putBack(batch: readonly Waiting<Tx>[]): "locked" {
    this.#waiting.unshift(...batch);
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      this.flush();
    }, LOCK_STEP_MS);
    return "locked";
  }

  #mayWait(batch: readonly Waiting<Tx>[], error: unknown): boolean {
    const { lockPatienceMs = 0 } = this.#options;
    return isBusy(error) && monotonicMs() - (batch[0]?.sinceMs ?? 0) < lockPatienceMs;
  }

  #run(batch: readonly Waiting<Tx>[]): "locked" | undefined {
    if (this.#lost) {
      for (const { reject } of batch) reject(this.#lost);
      return undefined;
    }
    try {
      this.#begin.run();
      const tx = this.#options.begin();
      const settle = batch.map((item) => attempt(item, tx));
      tx.finish();
      this.#commit.run();
      this.#options.committed();
      for (const tell of settle) tell();
    } catch (error) {
      const cause = this.#giveBack() ?? error;
      if (this.#mayWait(batch, cause)) return this.#putBack(batch);
      this.#settleFailure(batch, cause);
    }
    return undefined;
  }

  /** Rolls back; returns why that failed too. */
  #giveBack(): unknown {
    try {
      if (this.#options.db.open && this.#options.db.inTransaction) this.#rollback.run();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /**
   * One of many may have been the cause: each gets a transaction of its own. Not on a connection that is lost: after
   * a failed fsync the next one that succeeds proves nothing.
   */
  #settleFailure(batch: readonly Waiting<Tx>[], error: unknown): void {
    // A lock that another writer holds is in the way of each of them.
    if (batch.length > 1 && !isBusy(error) && !this.#options.isLost?.(error)) {
      for (const item of batch) this.#run([item]);
      return;
    }
    const failure = this.#options.failed(error);
    if (!this.#options.db.open) this.#lost = failure;
    for (const { reject } of batch) reject(failure);
  }
}

function isBusy(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}

function attempt<Tx>(item: Waiting<Tx>, tx: Tx): () => void {
  try {
    const value = item.work(tx);
    return () => item.resolve(value);
  } catch (error) {
    if (error instanceof RollcallError) return () => item.reject(error);
    throw error;
  }
}
