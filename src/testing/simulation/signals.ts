import type { Source } from "../../domain/session/evidence.ts";
import { type Asked, AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";
import type { Random } from "./random.ts";

const ASKED: readonly Asked[] = [
  { ...AT_PROMPT, for: "permission", tool: "Bash", requestId: "p1" },
  { ...AT_PROMPT, for: "permission", tool: "Edit" },
  { ...AT_PROMPT, for: "question", question: "Which?", options: ["a", "b"] },
  { ...AT_PROMPT, for: "trust" },
  { ...AT_PROMPT, for: "dialog" },
];

/** Anything that an agent may say, in no sensible order. */
export function makeSignal(random: Random, source: Source): Signal {
  const evidence = { source, rule: "simulated", excerpt: null, fillsGap: random.chance(0.1) };
  switch (random.int(5)) {
    case 0:
      return { ...evidence, says: "loading" };
    case 1:
      return { ...evidence, says: "working" };
    case 2:
      return { ...evidence, says: "ready", turn: random.pick(["good", "aborted", "failed"] as const) };
    case 3:
      return { ...evidence, says: "ready" };
    default:
      return { ...evidence, says: "asking", asked: random.pick(ASKED) };
  }
}
