import type { Database } from "better-sqlite3";
import { resourcesAfter, type Sample } from "../../../domain/sample.ts";
import type { LiveFacts } from "../../../domain/session/session.ts";
import type { SessionObservation, SessionSample } from "../../observations.ts";
import { LazyStatement } from "./lazy-statement.ts";
import type { SampleTable } from "./sample-table.ts";
import { parseLiveFacts } from "./session-table.ts";

interface Present {
  readonly no: number;
  readonly observed: LiveFacts;
}

/** Observations of sessions, beside their rows. */
export class ObservationTable {
  readonly #find: LazyStatement<[string], { readonly no: number; readonly observed: string | null }>;
  readonly #set: LazyStatement<[string, number]>;

  constructor(db: Database) {
    this.#find = new LazyStatement(db, "SELECT no, observed FROM sessions WHERE id = ?");
    this.#set = new LazyStatement(db, "UPDATE sessions SET observed = ? WHERE no = ?");
  }

  observe(batch: readonly SessionObservation[]): void {
    for (const { sessionId, observed } of batch) {
      const present = this.#present(sessionId);
      if (present) this.#write(present.no, { ...present.observed, ...observed });
    }
  }

  addSamples(batch: readonly SessionSample[], table: SampleTable): void {
    const bySession = Map.groupBy(batch, ({ sessionId }) => sessionId);
    for (const [sessionId, given] of bySession) {
      const present = this.#present(sessionId);
      if (present) this.#addTo(present, given.map(({ sample }) => sample).toSorted(byTime), table);
    }
    table.noteLate(batch);
  }

  #addTo({ no, observed }: Present, samples: readonly Sample[], table: SampleTable): void {
    const sums = table.add(no, samples);
    const newest = samples.at(-1);
    if (!newest || newest.at < (observed.resources.sampledAt ?? "")) return;
    this.#write(no, { ...observed, resources: resourcesAfter(observed.resources, newest, sums) });
  }

  /** Undefined for a damaged one, too: whoever reads it is told. */
  #present(sessionId: string): Present | undefined {
    const kept = this.#find.get(sessionId);
    try {
      return kept && { no: kept.no, observed: parseLiveFacts(sessionId, kept.observed) };
    } catch {
      return undefined;
    }
  }

  #write(no: number, observed: LiveFacts): void {
    this.#set.run(JSON.stringify(observed), no);
  }
}

function byTime(a: Sample, b: Sample): number {
  return a.at < b.at ? -1 : 1;
}
