import type { History } from "../../agents/history.ts";
import { idIn } from "./databases.ts";

interface Found {
  readonly source: string;
  readonly history: Pick<History, "database">;
}

/** Finds the cursors of conversations that are in another database now than when they were read. */
export class Moved<C extends { readonly source: string }> {
  readonly #byId: ReadonlyMap<string, C>;

  constructor(cursors: Iterable<C>, found: readonly Found[]) {
    const names = new Set(found.map(({ source }) => source));
    const lost = [...cursors].filter(({ source }) => !names.has(source) && idIn(source) !== "");
    this.#byId = new Map(lost.map((cursor) => [idIn(cursor.source), cursor]));
  }

  cursorOf({ source, history }: Found): C | undefined {
    return history.database && this.#byId.get(idIn(source));
  }
}
