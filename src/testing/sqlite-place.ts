import { join, resolve } from "node:path";
import type { Place } from "../store/contract/place.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { tempFolder } from "./temp-folder.ts";

const MODULE = resolve(import.meta.dirname, "../store/sqlite/store.ts");

export interface SqlitePlace extends Place {
  /** The database file itself, for tests that tamper with it. */
  readonly path: string;
}

export function sqlitePlace(): SqlitePlace {
  const folder = tempFolder();
  const path = join(folder.path, "rollcall.db");
  const open = `(await import(${JSON.stringify(MODULE)})).openSqliteStore({ path: ${JSON.stringify(path)} })`;
  return {
    path,
    open: () => openSqliteStore({ path }),
    openInChild: open,
    file: (name) => join(folder.path, name),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
