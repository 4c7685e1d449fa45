import type { LastTurn } from "../../domain/session/outcome.ts";
import { type Asked, AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";

export type Turn = Exclude<LastTurn, null>;
type Evidence = Pick<Signal, "source" | "rule">;

export function workingSignal(evidence: Evidence): Signal {
  return { ...evidence, excerpt: null, says: "working" };
}

/** At its prompt, with how the turn went. */
export function turnOverSignal(evidence: Evidence, turn: Turn, excerpt: string | null = null): Signal {
  return { ...evidence, excerpt, says: "ready", turn };
}

export function requestSignal(evidence: Evidence, asked: Partial<Asked>): Signal {
  const excerpt = asked.question ?? asked.tool ?? null;
  return { ...evidence, excerpt, says: "asking", asked: { ...AT_PROMPT, for: "permission", ...asked } };
}
