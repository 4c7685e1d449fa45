import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { isNews, newState } from "../../domain/supervise/news.ts";
import { toInstant } from "../../domain/time.ts";
import { endedLately, LATELY_MS, type RollRow, rollOrder } from "../../present/roll-order.ts";
import type { Rollcall } from "../../record/rollcall.ts";

/** How many of those that ended are shown at most. */
const MOST_ENDED = 20;

/** The roll shows the sessions that live, and those that ended a short time ago. */
export class Fleet {
  readonly #rollcall: Rollcall;
  #rows: readonly RollRow[] = [];

  constructor(rollcall: Rollcall) {
    this.#rollcall = rollcall;
  }

  /** Reads what is there now; returns whether one of the events is news. */
  async read(events: readonly FeedEvent[]): Promise<boolean> {
    const now = this.#rollcall.context.now();
    const live = await Array.fromAsync(this.#rollcall.list({ activeOnly: true }));
    const lately = await Array.fromAsync(this.#rollcall.list({ since: toInstant(now - LATELY_MS) }));
    const ended = endedLately(lately, now).slice(0, MOST_ENDED);
    // Oldest first, whatever they do: rows that change places cannot be read.
    const inOrder = live.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
    this.#rows = [...rollOrder(inOrder), ...ended.map((session) => ({ session, depth: 0 }))];
    const shown = new Map<string, SessionRecord>(this.#rows.map(({ session }) => [session.id, session]));
    return events.some((event) => {
      const session = newState(event.body) === undefined ? undefined : shown.get(event.sessionId);
      return session !== undefined && isNews(event, session);
    });
  }

  rows(): readonly RollRow[] {
    return this.#rows;
  }
}
