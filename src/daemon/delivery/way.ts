import type { Deed } from "../../agents/deed.ts";
import type { Waiting } from "../../domain/session/session.ts";

/** One way to carry out deeds. */
export interface Way<D extends Deed> {
  /** How long to wait before the deed may be done, or looked at again; 0 where it may be done now. */
  untilReadyMs(deed: D, request: Waiting | null): Promise<number>;
  /** Resolves when the deed is with the agent, as far as this way can tell. Throws where it cannot be reached. */
  deliver(deed: D): Promise<void>;
}
