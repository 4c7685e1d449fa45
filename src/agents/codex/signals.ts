import type { LastTurn } from "../../domain/session/outcome.ts";
import { type Asked, AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";

export type Turn = Exclude<LastTurn, null>;
type Evidence = Pick<Signal, "source" | "rule">;

export function working(evidence: Evidence): Signal {
  return { ...evidence, excerpt: null, says: "working" };
}

/** How the turn went, where it says so. */
export function over(evidence: Evidence, turn: Turn, excerpt: string | null = null): Signal {
  return { ...evidence, excerpt, says: "ready", turn };
}

export function asking(evidence: Evidence, asked: Partial<Asked>): Signal {
  const excerpt = asked.question ?? asked.tool ?? null;
  return { ...evidence, excerpt, says: "asking", asked: { ...AT_PROMPT, for: "permission", ...asked } };
}
