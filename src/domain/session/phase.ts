import type { Outcome } from "./outcome.ts";

/** The progress of a session's work, declared by the agent or its orchestrator. */
export const PHASES = [
  "initializing",
  "investigating",
  "planning",
  "approval",
  "executing",
  "validating",
  "completed",
  "failed",
  "abandoned",
] as const;
export type Phase = (typeof PHASES)[number];

export const FINAL_PHASES = ["completed", "failed", "abandoned"] as const;
export type FinalPhase = (typeof FINAL_PHASES)[number];

export const RESUMABLE_PHASES = ["approval", "investigating", "planning"] as const satisfies readonly Phase[];

export const OUTCOME_OF_PHASE: Readonly<Record<FinalPhase, Outcome>> = {
  completed: "success",
  failed: "failure",
  abandoned: "interrupted",
};

export function isFinal(phase: Phase): phase is FinalPhase {
  return (FINAL_PHASES as readonly Phase[]).includes(phase);
}

export function isResumablePhase(phase: Phase): boolean {
  return (RESUMABLE_PHASES as readonly Phase[]).includes(phase);
}
