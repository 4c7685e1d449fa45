import { decideSignal } from "./decide-signal.ts";
import type { EventBody } from "./event.ts";
import type { Evidence } from "./evidence.ts";
import type { SessionRow } from "./session.ts";
import type { Signal, TrustOrder } from "./signal.ts";
import { isLive } from "./state.ts";
import type { Instant } from "./time.ts";

/** What is seen of a session that someone started without Rollcall. */
export type OutsideSighting =
  | { readonly saw: "signal"; readonly signal: Signal; readonly trust: TrustOrder }
  /** Its process is gone. `isTold`: by its own word, and not only because it cannot be found. */
  | { readonly saw: "gone"; readonly isTold: boolean };

/** What a sighting changes. It is observed only: nothing follows from it but the record. */
export function decideOutside(row: SessionRow, sighting: OutsideSighting, at: Instant): EventBody[] {
  if (sighting.saw === "gone") return isLive(row.state) ? [gone(row, sighting.isTold)] : [];
  if (isLive(row.state)) return signalled(row, sighting, at);
  const { source, rule } = sighting.signal;
  const back = changed(row, "resuming", { source, rule, excerpt: "seen again" });
  const begun: SessionRow = { ...row, state: "resuming", generation: row.generation + 1, waiting: null };
  return [back, ...signalled(begun, sighting, at)];
}

function signalled(
  row: SessionRow,
  sighting: Extract<OutsideSighting, { saw: "signal" }>,
  at: Instant,
): EventBody[] {
  return decideSignal(row, sighting, at).flatMap((action) => (action.do === "append" ? [action.body] : []));
}

/** How it ended is nobody's to know: its exit was seen by who started it. */
function gone(row: SessionRow, isTold: boolean): EventBody {
  const evidence: Evidence = { source: "process", rule: isTold ? "left" : "no_process", excerpt: null };
  return isTold
    ? { ...changed(row, "stopped", evidence), ending: { how: "declared", outcome: null } }
    : { ...changed(row, "unknown", evidence), endReason: "no_process" };
}

function changed(
  { generation }: SessionRow,
  to: SessionRow["state"],
  evidence: Evidence,
): Extract<EventBody, { kind: "state_changed" }> {
  return { kind: "state_changed", to, evidence, ...(to === "resuming" ? {} : { generation }) };
}
