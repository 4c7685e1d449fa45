import type { Agent, OutsideIdentity, OutsideRows } from "../../agents/agent.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isLive } from "../../domain/session/state.ts";
import { findByNativeId, isCarried } from "../../history/plan.ts";
import { databaseOf, SEPARATOR } from "../../history/readers/databases.ts";
import type { Services } from "../services.ts";
import { type Conversation, DatabaseWatch } from "./database-watch.ts";
import { writersOf } from "./database-writers.ts";
import type { Importer } from "./importer.ts";
import type { OutsideSession } from "./outside-session.ts";

interface Ports {
  readonly services: Services;
  readonly importer: Importer;
  /** Those that are followed, by their native ids. */
  sessions(): ReadonlyMap<string, OutsideSession>;
  /** Whether a living session that Rollcall carries is in this conversation. */
  isCarried(nativeId: string): boolean;
  sessionOf(identity: OutsideIdentity): Promise<OutsideSession | undefined>;
  /** One after the other. */
  later(work: () => Promise<unknown>): void;
}

/** Sessions outside of an agent that keeps all conversations in a database: one that grows is worked on. */
export class GrowingRows {
  readonly #ports: Ports;
  readonly #agent: Agent;
  readonly #rows: OutsideRows;
  readonly #database: DatabaseWatch;

  constructor(
    ports: Ports,
    agent: Agent,
    { root, rows }: { readonly root: string; readonly rows: OutsideRows },
  ) {
    const database = agent.history?.database;
    if (!database) throw new Error("An agent with rows of its own has a history in a database.");
    this.#ports = ports;
    this.#agent = agent;
    this.#rows = rows;
    this.#database = new DatabaseWatch(
      { root, database, conversations: rows.conversations },
      {
        grown: (conversation) => ports.later(async () => this.#sawGrown(conversation)),
        changed: (database) => ports.later(async () => this.#lookOn(database)),
        failed: (err) => ports.services.log.warn({ err }, "could not look for sessions outside"),
      },
    );
  }

  begin(): void {
    this.#database.begin();
    this.#ports.later(async () => this.#followKnown());
  }

  stop(): void {
    this.#database.stop();
  }

  /** Those that an earlier daemon has seen are read on. */
  async #followKnown(): Promise<void> {
    const sessions = this.#ports.sessions();
    for (const { nativeId, source } of sessions.size === 0 ? [] : this.#database.conversations())
      sessions.get(nativeId)?.follow(source);
  }

  async #sawGrown({ nativeId, source, cwd, newestMs }: Conversation): Promise<void> {
    const { services, importer } = this.#ports;
    const known = this.#ports.sessions().get(nativeId);
    if (this.#ports.isCarried(nativeId) || (known?.process && known.transcript === source)) return;
    const { areOurs, areThere, process } = writersOf(databaseOf(source), cwd, this.#rows);
    if (areOurs) return;
    // With no process to show for it there is nothing to observe but the database.
    if (!areThere && importer.covers(this.#agent.type, source)) return importer.lookSoon();
    const row = await findByNativeId(services.context, this.#agent.type, nativeId);
    if (row && isCarried(row) && !hasGrownSince(row, newestMs)) return;
    const session = await this.#ports.sessionOf({ nativeId, kind: "interactive", cwd, pid: null });
    if (process) await session?.runs(process);
    session?.follow(source);
  }

  async #lookOn(database: string): Promise<void> {
    for (const session of this.#ports.sessions().values())
      if (session.transcript?.startsWith(`${database}${SEPARATOR}`)) await session.lookOn();
  }
}

/** One that we carried says itself what it does. After its end another process may go on with the conversation. */
function hasGrownSince({ carried, state, endedAt }: SessionRow, newestMs: number): boolean {
  if (carried !== null && isLive(state)) return false;
  return endedAt !== null && newestMs > Date.parse(endedAt);
}
