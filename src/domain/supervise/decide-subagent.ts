import type { EventBody } from "../session/event.ts";
import type { Evidence } from "../session/evidence.ts";
import type { LastTurn, Outcome } from "../session/outcome.ts";
import { isFinal } from "../session/phase.ts";
import type { SessionRow } from "../session/session.ts";
import { isLive, type LossReason } from "../session/state.ts";
import { outcomeOfResult } from "../session/turn.ts";
import { turnOver } from "./decide-turn.ts";

/** An observation of a sub-agent. It has no process and no prompt of its own: it works, or it has ended. */
export type SubagentObservation =
  /** It has begun to work on a text of its parent. */
  | { readonly saw: "began" }
  /** A turn of it is open. That says nothing of one that has ended: its parent may have left in mid-turn. */
  | { readonly saw: "at_work" }
  /** Its turn is over; `result`: null where nobody knows how it went. */
  | { readonly saw: "over"; readonly result: LastTurn }
  /** Its parent has ended, and with it everything in its process. */
  | { readonly saw: "parent_ended" }
  | { readonly saw: "parent_lost"; readonly endReason: LossReason };

/** Decides what an observation changes. A sub-agent that is given another task works on as a new generation. */
export function decideSubagent(row: SessionRow, observation: SubagentObservation): EventBody[] {
  if (isFinal(row.phase)) return [];
  switch (observation.saw) {
    case "began":
      return beginEvents(row);
    case "at_work":
      return row.state === "unknown" ? beginEvents(row) : [];
    case "over":
      return endEvents(row, outcomeAfter(observation.result), evidenceOf("transcript", "subagent_done"));
    case "parent_ended":
      if (!isLive(row.state)) return [];
      return [
        ...turnOver(row, "aborted", null),
        ...endEvents(row, isAtWork(row) ? "interrupted" : null, evidenceOf("process", "parent_ended")),
      ];
    case "parent_lost":
      return isLive(row.state) ? [...turnOver(row, null, null), lossEvent(row, observation.endReason)] : [];
  }
}

function beginEvents(row: SessionRow): EventBody[] {
  const evidence = evidenceOf("transcript", "subagent_began");
  if (row.state === "running") return [];
  if (isLive(row.state) || row.state === "unknown")
    return [{ kind: "at_work", state: "running", evidence, generation: row.generation }];
  const generation = row.generation + 1;
  return [
    { kind: "resumed", state: "resuming", evidence, generation, launch: null },
    { kind: "at_work", state: "running", evidence, generation },
  ];
}

function endEvents(row: SessionRow, outcome: Outcome | null, evidence: Evidence): EventBody[] {
  if (!isLive(row.state) && row.state !== "unknown") return [];
  const { generation } = row;
  return [
    {
      kind: "ended",
      state: "stopped",
      outcome,
      how: "left",
      exit: null,
      endReason: null,
      evidence,
      generation,
    },
  ];
}

function lossEvent({ generation }: SessionRow, endReason: LossReason): EventBody {
  const evidence = evidenceOf("process", "parent_lost");
  return { kind: "lost", state: "unknown", endReason, evidence, generation };
}

function outcomeAfter(result: LastTurn): Outcome | null {
  return result === null ? null : outcomeOfResult(result);
}

/** Before its first turn it was about to begin one. */
function isAtWork({ turn }: SessionRow): boolean {
  return turn === null || turn.state !== "done";
}

function evidenceOf(source: Evidence["source"], rule: string): Evidence {
  return { source, rule, excerpt: null };
}
