import { PHASES, type Phase } from "../../domain/session/phase.ts";
import type { Instant } from "../../domain/time.ts";
import type { SessionTotals } from "../../store/statistics.ts";
import type { Delegation } from "../../store/store.ts";
import type { Rollcall } from "../rollcall.ts";
import { countOf, shareOf } from "../stats/spread.ts";

/** A figure with the target that the requirements set for it. `met` is null where nothing was measured. */
export interface Figure {
  readonly value: number | null;
  readonly target: string;
  readonly met: boolean | null;
}

export interface ResumeFigures {
  readonly delegations: number;
  readonly resumed: number;
  readonly succeeded: number;
  readonly failed: number;
  /** A session that was told to resume, and nothing has happened since that would decide it. */
  readonly pending: number;
  readonly resumeRate: Figure;
  readonly resumeSuccessRate: Figure;
  readonly durationMedianMs: Figure;
  readonly durationP95Ms: Figure;
  readonly errorRate: Figure;
  readonly storageBytes: Figure;
  /** An estimate: the bytes of an average session, for each session of the last seven days. */
  readonly storageGrowthBytesPerDay: number | null;
}

type Fate = "succeeded" | "failed" | "pending";

const DAY_MS = 86_400_000;
const MEGABYTE = 1_000_000;

export async function resumeFigures(
  rollcall: Rollcall,
  totals: SessionTotals,
  since: Instant | undefined,
): Promise<ResumeFigures> {
  const fates: Record<Fate, number> = { succeeded: 0, failed: 0, pending: 0 };
  let delegations = 0;
  for await (const delegation of rollcall.context.store.delegations(since)) {
    delegations += 1;
    if (delegation.resume) fates[await fateOf(rollcall, delegation)] += 1;
  }
  const size = rollcall.context.store.statistics().size();
  const resumed = fates.succeeded + fates.failed + fates.pending;
  return {
    delegations,
    resumed,
    ...fates,
    resumeRate: above(share(resumed, delegations), 0.6, "> 60 %"),
    resumeSuccessRate: above(share(fates.succeeded, fates.succeeded + fates.failed), 0.8, "> 80 %"),
    durationMedianMs: below(shareOf(totals.durationsMs, 0.5), 5 * 60_000, "< 5 min"),
    durationP95Ms: below(shareOf(totals.durationsMs, 0.95), 30 * 60_000, "< 30 min"),
    errorRate: below(share(totals.withErrors, countOf(totals)), 0.1, "< 10 %"),
    storageBytes: below(size.bytes, 100 * MEGABYTE, "< 100 MB"),
    storageGrowthBytesPerDay: await growth(rollcall, size),
  };
}

/** The outcome of a session after it was said that it can be resumed: a later phase, success, or a new error first. */
async function fateOf(rollcall: Rollcall, { sessionId, seq, at }: Delegation): Promise<Fate> {
  const session = sessionId === null ? undefined : await rollcall.find(sessionId);
  if (!session || seq === null) return "pending";
  const before = session.history.findLast((step) => step.timestamp <= at)?.toPhase ?? "initializing";
  for await (const { body } of rollcall.events(session.id, { after: seq })) {
    if (body.kind === "updated" && body.error !== undefined) return "failed";
    if (body.kind === "updated" && body.phase !== undefined && rank(body.phase) > rank(before))
      return "succeeded";
    if (body.kind === "finalized") return body.phase === "completed" ? "succeeded" : "failed";
  }
  return "pending";
}

function rank(phase: Phase): number {
  return PHASES.indexOf(phase);
}

async function growth(rollcall: Rollcall, size: { bytes: number; sessions: number }): Promise<number | null> {
  if (size.sessions === 0) return null;
  const createdSince = new Date(rollcall.context.now() - 7 * DAY_MS).toISOString();
  let recent = 0;
  for await (const _session of rollcall.list({ createdSince })) recent += 1;
  return Math.round(((size.bytes / size.sessions) * recent) / 7);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function above(value: number | null, bar: number, target: string): Figure {
  return { value, target, met: value === null ? null : value > bar };
}

function below(value: number | null, bar: number, target: string): Figure {
  return { value, target, met: value === null ? null : value < bar };
}
