import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { HistoryDatabase } from "../../agents/history.ts";
import { databaseOf, rowsInUse, SEPARATOR } from "../../history/readers/databases.ts";
import { FolderWatch } from "../../machine/folder-watch.ts";

/** An agent that writes changes its database many times a second. */
const PAUSE_MS = 1000;
const AGAIN_MS = 5000;

interface Facts {
  /** The folder of the databases, or the only one. */
  readonly root: string;
  readonly database: HistoryDatabase;
  readonly conversations: string;
}

interface Ports {
  /** A message has come into this conversation. */
  grown(conversation: Conversation): void;
  /** Something has changed in this database. */
  changed(database: string): void;
  failed(error: unknown): void;
}

export interface Conversation {
  /** The database with the id of the conversation behind it. */
  readonly source: string;
  readonly nativeId: string;
  readonly cwd: string | null;
  /** When its newest message was begun. */
  readonly newestMs: number;
}

/** Tells which conversations in the databases of an agent grow. It looks when they change, and only reads. */
export class DatabaseWatch {
  readonly #facts: Facts;
  readonly #ports: Ports;
  readonly #watch: FolderWatch;
  readonly #newestMs = new Map<string, number>();
  readonly #beganMs = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(facts: Facts, ports: Ports) {
    this.#facts = facts;
    this.#ports = ports;
    const isFile = facts.database.files.test(basename(facts.root)) && !isFolder(facts.root);
    this.#watch = new FolderWatch(isFile ? dirname(facts.root) : facts.root, {
      retryMs: AGAIN_MS,
      changed: (name) => {
        if (name === null || facts.database.files.test(name.replace(/-(?:wal|shm)$/u, ""))) this.#lookSoon();
      },
    });
  }

  begin(): void {
    this.#watch.begin();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watch.stop();
  }

  /** The conversations that were worked on last, where their agent has the database in use. */
  conversations(): readonly Conversation[] {
    const { root, database: spec, conversations } = this.#facts;
    return rowsInUse(root, spec, conversations).flatMap(({ database, row: { id, cwd, newest } }) => {
      if (typeof id !== "string" || id === "") return [];
      const newestMs = typeof newest === "number" ? newest : 0;
      const place = typeof cwd === "string" && cwd !== "" ? cwd : null;
      return [{ source: `${database}${SEPARATOR}${id}`, nativeId: id, cwd: place, newestMs }];
    });
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.#look();
      } catch (error) {
        this.#ports.failed(error);
      }
    }, PAUSE_MS).unref();
  }

  #look(): void {
    const all = this.conversations();
    for (const one of all) {
      if (one.newestMs <= (this.#newestMs.get(one.source) ?? this.#beganMs)) continue;
      this.#newestMs.set(one.source, one.newestMs);
      this.#ports.grown(one);
    }
    for (const database of new Set(all.map(({ source }) => databaseOf(source))))
      this.#ports.changed(database);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
