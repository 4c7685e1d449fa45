import type { Evidence, Source } from "../session/evidence.ts";
import type { LastTurn } from "../session/outcome.ts";
import type { Request, Waiting } from "../session/session.ts";

/** A request as an agent's own words tell it; the id is made up where the agent has none. */
export type Asked = Omit<Waiting, "since"> & Pick<Request, "for">;

export const AT_PROMPT = {
  for: "prompt",
  requestId: null,
  tool: null,
  input: null,
  question: null,
  options: null,
} as const satisfies Omit<Waiting, "since">;

/** An agent's state as one source reports it. */
export type Signal = Evidence & {
  /** Fills a gap that stronger sources of this agent are known to have. */
  readonly fillsGap?: boolean;
  /** Counts only in a turn that no other source has reported: stronger sources may leave out a short turn. */
  readonly ifUnreported?: boolean;
  /** Debounce: the agent emits this without cause, so it counts after this time, or once another source confirms it. */
  readonly settleMs?: number;
} & (
    | { readonly says: "loading" }
    | { readonly says: "working" }
    /**
     * At its prompt. `turn` tells how the turn before went, where one did; `inTurn` how it went if one was in
     * progress until now, which the agent does not say.
     */
    | {
        readonly says: "ready";
        readonly turn?: Exclude<LastTurn, null>;
        readonly inTurn?: Exclude<LastTurn, null>;
      }
    | { readonly says: "asking"; readonly asked: Asked }
  );

/** The sources of an agent's state, the most trusted first. */
export type TrustOrder = readonly Source[];
