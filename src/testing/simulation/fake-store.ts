import { apply } from "../../domain/session/apply.ts";
import type { EventBody, SessionEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Instant } from "../../domain/time.ts";

/** Events and the row that they make; what was appended is durable at once, all of it or nothing. */
export class FakeStore {
  readonly #rows = new Map<string, SessionRow>();
  readonly #events = new Map<string, SessionEvent[]>();
  #ids = 0;

  append(sessionId: string, bodies: readonly EventBody[], at: Instant): SessionEvent[] {
    const known = this.#events.get(sessionId) ?? [];
    this.#events.set(sessionId, known);
    return bodies.map((body) => {
      const event = { id: `e${++this.#ids}`, at, channel: null, sessionId, seq: known.length + 1, body };
      known.push(event);
      const row = apply(this.#rows.get(sessionId), event);
      if (row) this.#rows.set(sessionId, row);
      return event;
    });
  }

  row(sessionId: string): SessionRow {
    const row = this.#rows.get(sessionId);
    if (!row) throw new Error(`There is no session ${sessionId}.`);
    return row;
  }

  ids(): string[] {
    return [...this.#rows.keys()];
  }

  events(sessionId: string): readonly SessionEvent[] {
    return this.#events.get(sessionId) ?? [];
  }
}
