import type { SessionRow } from "../../domain/session/session.ts";

/** Something that says what an agent does. One class for each kind of source; a mode names those that it has. */
export interface Source {
  /** Follows it from now on. Called again at every adoption; a source that has begun goes on. */
  begin(row: SessionRow): void;
  /** Reads everything that the agent has written there by now. */
  catchUp(): Promise<void>;
  /** The agent has left: reads what it said last, and what may still be on its way. */
  readRest?(): Promise<void>;
  /** Reads a state again that is kept in a place of its own. */
  refresh?(): void;
  /** The last word: nothing is read afterwards. */
  stop(): void;
}
