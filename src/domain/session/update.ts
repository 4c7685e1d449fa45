import { checkMetadataSize } from "../check.ts";
import { RollcallError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { EventBody } from "./event.ts";
import { checkNameIsFree, type FindNamesake } from "./name.ts";
import { type FinalPhase, isFinal, type Phase } from "./phase.ts";
import type { SessionRow } from "./session.ts";
import { DECLARED_STATUS, type Status } from "./state.ts";

export interface SessionPatch {
  readonly phase?: Phase;
  /** Merged key by key into what is there. */
  readonly metadata?: JsonObject;
  /** Adds one to the errors and becomes the last of them. */
  readonly error?: string;
  readonly status?: Status;
  readonly name?: string | null;
  readonly resumeReady?: boolean;
}

/** The events of an update, all of them or none; throws why it is refused. */
export function decideUpdate(
  row: SessionRow,
  patch: SessionPatch,
  findNamesake: FindNamesake = () => undefined,
): EventBody[] {
  const { phase, status, ...rest } = patch;
  if (isFinal(row.phase) && (phase !== undefined || status !== undefined || rest.resumeReady !== undefined)) {
    throw finalizedError(row);
  }
  if (rest.name !== undefined)
    checkNameIsFree({ ...row, name: rest.name }, findNamesake, "Choose another with --name.");
  if (rest.metadata !== undefined) checkMetadataSize({ ...row.metadata, ...rest.metadata });
  const target =
    phase !== undefined && isFinal(phase) ? { final: phase } : { open: phase as OpenPhase | undefined };
  if (target.final !== undefined && (status !== undefined || rest.resumeReady !== undefined)) {
    throw new RollcallError(
      "bad_input",
      `Phase ${target.final} ends the work, so it decides status and resume_ready itself.`,
      {
        hint: "Give the final phase alone, or a phase that is not final.",
      },
    );
  }
  return [
    ...updated(rest, target.open, status, target.final),
    ...declareStatus(row, status),
    ...finalized(target.final),
  ];
}

export function decideFinalize(row: SessionRow, phase: FinalPhase, summary: string | null): EventBody[] {
  if (row.phase === phase) return [];
  if (isFinal(row.phase)) throw finalizedError(row);
  return [{ kind: "finalized", phase, summary, inHistory: false }];
}

/** The change of state that a declared status means; none without one. */
export function declareStatus(row: SessionRow | undefined, status: Status | undefined): EventBody[] {
  if (status === undefined) return [];
  if (row?.origin === "started") throw carriedError(row);
  if (row && isFinal(row.phase)) throw finalizedError(row);
  const evidence = { source: "declared", rule: "status", excerpt: status } as const;
  return [{ kind: "status_declared", ...DECLARED_STATUS[status], evidence }];
}

type OpenPhase = Exclude<Phase, FinalPhase>;

function updated(
  rest: Omit<SessionPatch, "phase" | "status">,
  phase: OpenPhase | undefined,
  status: Status | undefined,
  final: FinalPhase | undefined,
): EventBody[] {
  const isEmpty = phase === undefined && Object.values(rest).every((value) => value === undefined);
  if (isEmpty && (status !== undefined || final !== undefined)) return [];
  return [{ kind: "updated", ...(phase === undefined ? {} : { phase }), ...rest }];
}

function finalized(phase: FinalPhase | undefined): EventBody[] {
  return phase === undefined ? [] : [{ kind: "finalized", phase, summary: null, inHistory: true }];
}

function finalizedError(row: SessionRow): RollcallError {
  return new RollcallError("finalized", `Session ${row.id} is ${row.phase}, which is final.`, {
    hint: "Metadata, name and errors can still be added; for more work, create a new session.",
    facts: { sessionId: row.id, phase: row.phase },
  });
}

export function carriedError(row: SessionRow): RollcallError {
  const message = `Rollcall runs session ${row.id}: what it does is observed, not declared.`;
  return new RollcallError("carried", message, { hint: `End it with \`rollcall end ${row.id}\`.` });
}
