import { apply } from "../../domain/session/apply.ts";
import type { NewEvent, SessionEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";

/** A row and the events that led to it. */
interface Change {
  readonly row: SessionRow;
  readonly events: readonly SessionEvent[];
}

/** Events and the row that they make; what was appended is durable at once. */
export class FakeStore {
  readonly #rows = new Map<string, SessionRow>();
  readonly #events = new Map<string, SessionEvent[]>();

  append(sessionId: string, added: readonly NewEvent[]): Change {
    const change = this.preview(sessionId, added);
    this.#events.set(sessionId, [...this.events(sessionId), ...change.events]);
    this.#rows.set(sessionId, change.row);
    return change;
  }

  /** The outcome of an append; nothing of it is durable. */
  preview(sessionId: string, added: readonly NewEvent[]): Change {
    const known = this.events(sessionId).length;
    const events = added.map((event, index) => ({ ...event, sessionId, seq: known + index + 1 }));
    const row = events.reduce((before, event) => apply(before, event), this.#rows.get(sessionId));
    if (!row) throw new Error(`There is no session ${sessionId}.`);
    return { row, events };
  }

  row(sessionId: string): SessionRow {
    return this.preview(sessionId, []).row;
  }

  has(sessionId: string): boolean {
    return this.#rows.has(sessionId);
  }

  ids(): string[] {
    return [...this.#rows.keys()];
  }

  events(sessionId: string): readonly SessionEvent[] {
    return this.#events.get(sessionId) ?? [];
  }
}
