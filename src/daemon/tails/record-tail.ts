import { statSync } from "node:fs";
import type { History } from "../../agents/history.ts";
import type { FileIdentity } from "../../domain/read-cursor.ts";
import { databaseOf, LOOK_BUSY_MS } from "../../history/readers/databases.ts";
import type { HistoryReader, OpenSource } from "../../history/readers/reader.ts";
import { sqliteReader } from "../../history/readers/sqlite-reader.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { isDatabaseInUse } from "../../record/foreign/foreign-database.ts";
import type { Tail, TailIdentity, TailReader } from "./tail.ts";

/**
 * Reads one conversation in the database of an agent: each record once, when it is whole. It looks when it is told to.
 * Its pages are short reads: the agent that writes waits for none of them.
 */
export class RecordTail implements Tail {
  readonly path: string;
  readonly identity: TailIdentity;
  readonly #source: HistoryReader;
  readonly #reader: TailReader;
  readonly #queue = new SerialQueue();
  #read = 0;
  /** The name of the record that was read last. */
  #last: string | undefined;
  #hasBegun = false;
  #isCaughtUp = false;
  #isStopped = false;

  constructor(path: string, history: History, reader: TailReader) {
    this.path = path;
    this.#source = sqliteReader(history, LOOK_BUSY_MS);
    this.#reader = reader;
    this.identity = {
      identify: (_, readTo) => this.#with((source) => source.identify(readTo)),
      isSame: (_, known: FileIdentity) => this.#with((source) => source.isSame(known)) === true,
    };
  }

  get stamp(): string {
    const database = databaseOf(this.path);
    const files = [database, `${database}-wal`].map((file) =>
      statSync(file, { bigint: true, throwIfNoEntry: false }),
    );
    return files.map((file) => (file ? `${file.ino} ${file.size} ${file.mtimeNs}` : "none")).join(", ");
  }

  begin(): void {
    void this.catchUp();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async catchUp(): Promise<void> {
    await this.#queue
      .run(async () => this.#readOn())
      .catch((error: unknown) => {
        this.#reader.failed(error);
      });
  }

  async #readOn(): Promise<void> {
    using source = this.#open();
    if (!source || this.#isStopped) return;
    if (!this.#hasBegun || !(await this.#goesOn(source))) await this.#start();
    for await (const records of source.records(this.#read))
      for (const { offset, read } of records) {
        if (this.#isStopped) return;
        const record = read();
        if (record) await this.#reader.line({ text: JSON.stringify(record), offset });
        this.#read = offset;
        this.#last = JSON.stringify(record?.id);
      }
    if (this.#isCaughtUp) return;
    await this.#reader.caughtUp?.();
    this.#isCaughtUp = true;
  }

  async #start(): Promise<void> {
    this.#isCaughtUp = false;
    this.#last = undefined;
    this.#read = (await this.#reader.from?.()) ?? 0;
    this.#hasBegun = true;
  }

  /** A record that a person takes back is removed once they go on: another one stands there then, or none. */
  async #goesOn(source: OpenSource): Promise<boolean> {
    if (this.#last === undefined) return true;
    for await (const [record] of source.records(this.#read - 1))
      return JSON.stringify(record?.read()?.id) === this.#last;
    return false;
  }

  #with<T>(look: (source: OpenSource) => T): T | undefined {
    try {
      using source = this.#open();
      return source && look(source);
    } catch {
      return undefined;
    }
  }

  #open(): OpenSource | undefined {
    return isDatabaseInUse(databaseOf(this.path)) ? this.#source.open(this.path) : undefined;
  }
}
