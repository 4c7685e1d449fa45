import { statSync } from "node:fs";
import type { ToolUse } from "../../domain/tally/tool-use.ts";
import type {
  AgentWait,
  SessionTotals,
  Statistics,
  StoredSize,
  StoreSize,
  TotalsQuery,
  UsageTotal,
  Window,
} from "../statistics.ts";
import { countAll } from "./count-all.ts";
import type { Engine } from "./engine.ts";
import { allToolUses, allWaits } from "./tables/all-tallies.ts";
import { sessionTotals } from "./tables/session-totals.ts";
import { tableSizes } from "./tables/table-sizes.ts";

type Read = <T>(ask: (engine: Engine) => T) => T;

export class SqliteStatistics implements Statistics {
  readonly #path: string;
  readonly #read: Read;

  constructor(path: string, read: Read) {
    this.#path = path;
    this.#read = read;
  }

  usage(query: TotalsQuery): UsageTotal[] {
    return this.#read(({ totals }) => totals.totals(query));
  }

  sessions(query: TotalsQuery): SessionTotals {
    return this.#read(({ db }) => sessionTotals(db, query));
  }

  waits(window: Window): AgentWait[] {
    return this.#read(({ db }) => allWaits(db, window));
  }

  tools(window: Window): ToolUse[] {
    return this.#read(({ db }) => allToolUses(db, window));
  }

  size(): StoreSize {
    const sizes = ["", "-wal"].map((end) => statSync(this.#path + end, { throwIfNoEntry: false })?.size ?? 0);
    return this.#read(({ db }) => ({ bytes: sizes.reduce((sum, size) => sum + size, 0), ...countAll(db) }));
  }

  sizes(): readonly StoredSize[] {
    return this.#read(({ db }) => tableSizes(db));
  }
}
