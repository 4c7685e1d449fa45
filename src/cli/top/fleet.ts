import type { FeedEvent } from "../../domain/event.ts";
import { isNews, newState } from "../../domain/news.ts";
import type { SessionRecord } from "../../domain/session.ts";
import { isLive } from "../../domain/state.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type RollRow, rollOrder } from "../roll-order.ts";

/** How long a session that ended is still shown, and how many of them at most. */
const LATELY_MS = 10 * 60_000;
const MOST_ENDED = 20;

/** What the roll shows: the sessions that live, and those that ended while someone looked. */
export class Fleet {
  readonly #rollcall: Rollcall;
  #live: readonly SessionRecord[] = [];
  #ended: readonly SessionRecord[] = [];

  constructor(rollcall: Rollcall) {
    this.#rollcall = rollcall;
  }

  /** Reads what lives now; returns whether one of the events is news. */
  async read(events: readonly FeedEvent[]): Promise<boolean> {
    const live = await Array.fromAsync(this.#rollcall.list({ activeOnly: true }));
    // Oldest first, whatever they do: rows that change places cannot be read.
    this.#live = live.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
    const changed = events.filter(({ body }) => newState(body) !== undefined);
    const ids = [...new Set(changed.map(({ sessionId }) => sessionId))];
    const found = await Promise.all(ids.map(async (id) => this.#rollcall.find(id)));
    const sessions = new Map(found.flatMap((session) => (session ? [[session.id, session]] : [])));
    this.#keepEnded([...sessions.values()]);
    return changed.some((event) => {
      const session = sessions.get(event.sessionId);
      return session !== undefined && isNews(event, session);
    });
  }

  rows(now: number): readonly RollRow[] {
    const isLate = ({ stateSince }: SessionRecord) => now - Date.parse(stateSince) > LATELY_MS;
    const ended = this.#ended.filter((session) => !isLate(session));
    return [...rollOrder(this.#live), ...ended.map((session) => ({ session, depth: 0 }))];
  }

  #keepEnded(changed: readonly SessionRecord[]): void {
    const ids = new Set([...changed, ...this.#live].map(({ id }) => id));
    const ended = changed.filter(({ state, origin }) => !isLive(state) && origin === "started");
    this.#ended = [...ended, ...this.#ended.filter(({ id }) => !ids.has(id))].slice(0, MOST_ENDED);
  }
}
