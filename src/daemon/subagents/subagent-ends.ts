import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isLive, LIVE_STATES } from "../../domain/session/state.ts";
import { decideSubagent, type SubagentObservation } from "../../domain/supervise/decide-subagent.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { stamp } from "../../record/context.ts";
import type { Services } from "../services.ts";

const PARENT_ENDED: SubagentObservation = { saw: "parent_ended" };

/** Ends sub-agents with the session in whose process they live, whoever carries that. */
export class SubagentEnds {
  readonly #services: Pick<Services, "context" | "log" | "hub">;
  readonly #queue = new SerialQueue();
  #listening: Disposable | undefined;

  constructor(services: Pick<Services, "context" | "log" | "hub">) {
    this.#services = services;
  }

  /** Sessions may have ended while no daemon ran. */
  async begin(): Promise<void> {
    this.#listening = this.#services.hub.listen((event) => this.#heard(event));
    const { items } = await this.#services.context.store.list({
      origins: ["subagent"],
      states: LIVE_STATES,
      limit: 0,
    });
    for (const { row } of items) {
      const session = await this.#sessionAbove(row);
      if (!session || !isLive(session.state)) await this.#end(row.id, endingOf(session));
    }
  }

  async end(): Promise<void> {
    this.#listening?.[Symbol.dispose]();
    await this.#queue.settled();
  }

  #heard(event: FeedEvent): void {
    const { kind } = event.body;
    if (kind !== "ended" && kind !== "lost" && kind !== "reconciled" && kind !== "deleted") return;
    void this.#queue
      .run(async () => this.#endBelow(event.sessionId))
      .catch((error: unknown) =>
        this.#services.log.warn({ session: event.sessionId, err: error }, "sub-agents were not ended"),
      );
  }

  async #endBelow(id: string): Promise<void> {
    const { store } = this.#services.context;
    const session = await store.findRow(id);
    // A sub-agent that is done may have others at work, which tell it when they are.
    if (session && (session.origin === "subagent" || isLive(session.state))) return;
    const { items } = await store.family(id);
    for (const { row } of items)
      if (row.origin === "subagent" && isLive(row.state)) await this.#end(row.id, endingOf(session));
  }

  async #end(id: string, observation: SubagentObservation): Promise<void> {
    const { context } = this.#services;
    await context.store.change(id, (row) =>
      row ? decideSubagent(row, observation).map((body) => ({ ...stamp(context, body), channel: null })) : [],
    );
  }

  /** The nearest session above that is no sub-agent itself. */
  async #sessionAbove(row: SessionRow): Promise<SessionRow | undefined> {
    let above: SessionRow | undefined = row;
    const seen = new Set<string>();
    while (above?.origin === "subagent" && !seen.has(above.id)) {
      seen.add(above.id);
      above =
        above.parentId === null ? undefined : await this.#services.context.store.findRow(above.parentId);
    }
    return above;
  }
}

function endingOf(session: SessionRow | undefined): SubagentObservation {
  return session?.state === "unknown" ? { saw: "parent_lost", endReason: "no_process" } : PARENT_ENDED;
}
