import type { TimeLimitKind } from "../limits/limit.ts";
import type { Evidence } from "../session/evidence.ts";
import type { SessionRow } from "../session/session.ts";
import { isEnded, isLive } from "../session/state.ts";
import { type Instant, msBetween } from "../time.ts";
import { beginEnd, isLost } from "./decide-end.ts";
import type { Action, Observation } from "./observation.ts";

/** A limit is announced when so much of it is used up. */
const NEAR = 0.8;

/** Whether a limit counts for a session as it is. Idle means silent at work or at the prompt; not asking, not paused. */
export function isCounting(limit: TimeLimitKind, row: SessionRow): boolean {
  if (isEnded(row.state) || row.state === "stopping" || isLost(row)) return false;
  return limit === "timeout" || row.state === "running" || row.waiting?.for === "prompt";
}

/** So much of a limit is used up: ends the session, announces the limit once, and says when to look again. */
export function decideLimit(
  row: SessionRow,
  { limit, passedMs, graceMs }: Extract<Observation, { saw: "limit_passed" }>,
  at: Instant,
): readonly Action[] {
  const { kind, allowed } = limit;
  if (!isCounting(kind, row)) return [];
  if (passedMs >= allowed) return endByLimit(row, kind, graceMs);
  const nearMs = allowed * NEAR;
  const isNear = passedMs >= nearMs;
  const next: Action = { do: "check_limit", limit: kind, afterMs: (isNear ? allowed : nearMs) - passedMs };
  return isNear && isLive(row.state) && !wasAnnounced(row, kind, passedMs, at)
    ? [{ do: "append", body: { kind: "limit_neared", limit } }, next]
    : [next];
}

/** Nobody asked for it: the outcome is `interrupted`, and the reason is kept. */
function endByLimit(row: SessionRow, limit: TimeLimitKind, graceMs: number): readonly Action[] {
  const evidence: Evidence = { source: "timer", rule: limit, excerpt: null };
  return [beginEnd(row, evidence, { how: "limit" }, limit), { do: "end_tree", graceMs }];
}

/** Announced once per counting period, however often it is observed. */
function wasAnnounced(row: SessionRow, limit: TimeLimitKind, passedMs: number, at: Instant): boolean {
  const announcedAt = row.carried?.neared?.[limit];
  return announcedAt !== undefined && msBetween(announcedAt, at) <= passedMs;
}
