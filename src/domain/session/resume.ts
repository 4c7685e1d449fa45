import { toInstant } from "../time.ts";
import { isFinal, isResumablePhase } from "./phase.ts";
import type { SessionRow } from "./session.ts";
import { isLive } from "./state.ts";

export const REFUSALS = [
  "session_not_found",
  "corrupt",
  "finalized",
  "still_running",
  "phase_not_resumable",
  "not_ready",
  "expired",
  "too_many_errors",
  "no_native_id",
  "unavailable",
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** How to go on: give input to a living process, resume an ended one, or take up the record of work done elsewhere. */
export type ResumeHow = "send" | "resume" | "record";

export type ResumeVerdict =
  | { readonly resume: true; readonly reason: "session_resumable"; readonly how: ResumeHow }
  | { readonly resume: false; readonly reason: Refusal; readonly how: null };

export interface ResumePolicy {
  readonly maxIdleMs: number;
  readonly maxErrors: number;
}

export const DEFAULT_RESUME_POLICY: ResumePolicy = { maxIdleMs: 30 * 60_000, maxErrors: 3 };

/** Whether work on this session can go on. Every input has an answer; nothing is written. */
export function decideResume(session: SessionRow, policy: ResumePolicy, nowMs: number): ResumeVerdict {
  if (isFinal(session.phase)) return refuse("finalized");
  if (isBusy(session)) return refuse("still_running");
  if (!isResumablePhase(session.phase)) return refuse("phase_not_resumable");
  if (!session.resumeReady) return refuse("not_ready");
  if (session.lastActiveAt <= toInstant(nowMs - policy.maxIdleMs)) return refuse("expired");
  if (session.errorCount >= policy.maxErrors) return refuse("too_many_errors");
  return howToResume(session);
}

export function refuse(reason: Refusal): ResumeVerdict {
  return { resume: false, reason, how: null };
}

/** The state of a record made by hand is a word; that of any other was seen. */
function isBusy(session: SessionRow): boolean {
  return !isByHand(session) && isLive(session.state) && session.state !== "waiting_input";
}

function isByHand({ origin }: SessionRow): boolean {
  return origin === "created" || origin === "upserted";
}

function howToResume(session: SessionRow): ResumeVerdict {
  const yes = (how: ResumeHow): ResumeVerdict => ({ resume: true, reason: "session_resumable", how });
  if (isByHand(session)) return yes("record");
  if (session.state === "waiting_input") return yes("send");
  // A sub-agent is no conversation of its own: its parent continues it.
  const isAlone = session.nativeId !== null && session.origin !== "subagent";
  return isAlone ? yes("resume") : refuse("no_native_id");
}
