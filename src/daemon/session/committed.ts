import type { SessionEvent } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";

/** The caller behind an observation. */
export interface AskedBy {
  readonly channel?: Channel | null;
  /** The id for the event of an input, which makes a second one with the same id do nothing. */
  readonly inputId?: string;
}

export interface Committed {
  readonly row: SessionRow;
  readonly events: readonly SessionEvent[];
  /** The seq of the last event written, or the current seq if none was. */
  readonly seq: number;
}
