import type { LastTurn } from "../../domain/session/outcome.ts";
import { type Asked, AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";

type Evidence = Pick<Signal, "source" | "rule">;

export function workingSignal(evidence: Evidence): Signal {
  return { ...evidence, excerpt: null, says: "working" };
}

/** At its prompt; `inTurn` is how a turn went that was in progress until now. */
export function readySignal(
  evidence: Evidence,
  inTurn: Exclude<LastTurn, null>,
  excerpt: string | null = null,
): Extract<Signal, { says: "ready" }> {
  return { ...evidence, excerpt, says: "ready", inTurn };
}

export function requestSignal(evidence: Evidence, asked: Partial<Asked>): Signal {
  const excerpt = asked.question ?? asked.tool ?? null;
  return { ...evidence, excerpt, says: "asking", asked: { ...AT_PROMPT, for: "permission", ...asked } };
}
