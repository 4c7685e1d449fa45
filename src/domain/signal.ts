import type { Evidence, Source } from "./evidence.ts";
import type { LastTurn } from "./outcome.ts";
import type { Waiting } from "./session.ts";

/** A request as an agent's own words tell it; the id is made up where the agent has none. */
export type Asked = Omit<Waiting, "since">;

export const AT_PROMPT: Asked = {
  for: "prompt",
  requestId: null,
  tool: null,
  input: null,
  question: null,
  options: null,
};

/** What an agent was seen doing. */
export type Signal = Evidence & {
  /** Fills a gap that stronger sources of this agent are known to have. */
  readonly fillsGap?: boolean;
  /** Said so often without cause that it has to last for so long, or to be said by another source, to be believed. */
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
