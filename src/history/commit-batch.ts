import { RollcallError } from "../domain/errors.ts";
import type { FileIdentity, ReadCursor } from "../domain/read-cursor.ts";
import { noteTotals } from "../domain/reported-totals.ts";
import { apply } from "../domain/session/apply.ts";
import type { Decision, EventBody, NewEvent } from "../domain/session/event.ts";
import type { Evidence } from "../domain/session/evidence.ts";
import type { Outcome } from "../domain/session/outcome.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { isEnded } from "../domain/session/state.ts";
import type { Instant } from "../domain/time.ts";
import type { NewUnknownRecord } from "../domain/transcript/unknown-record.ts";
import type { UsageEntry } from "../domain/usage.ts";
import { type Context, stamp } from "../record/context.ts";
import { decideParsed, type ParsedPiece, type TurnEvent } from "./decide-parsed.ts";
import { type ImportState, writeState } from "./import-state.ts";
import type { SourcePlan } from "./plan.ts";

/** The meaning of some records in a row. */
export interface Batch {
  /** The offset of the first of them. */
  readonly from: number;
  readonly pieces: (Omit<ParsedPiece, "now" | "stamp"> & { readonly at: Instant })[];
  readonly usage: Map<string, UsageEntry>;
}

/** The same with where it leads to. */
export interface ReadBatch extends Batch {
  readonly to: number;
  readonly file: FileIdentity;
  readonly state: ImportState;
  /** The file was read to its end, and nobody writes it: how its last turn is over. */
  readonly rest?: { readonly ends: readonly TurnEvent[]; readonly outcome: Outcome | null };
  /** The file was read to its end, which is in a turn that someone works on. */
  readonly isAtWork: boolean;
}

interface Committed {
  readonly entries: number;
  readonly events: number;
  /** How long the write held up others. */
  readonly ms: number;
}

const EVIDENCE: Evidence = { source: "transcript", rule: "imported", excerpt: null };

/**
 * Commits a batch with its cursor. Refused where the cursor stands elsewhere: then someone else has read on, and
 * `seq_conflict` says so.
 */
export async function commitBatch(context: Context, plan: SourcePlan, batch: ReadBatch): Promise<Committed> {
  const { asker: _, ...quiet } = context;
  const { sessionId, source } = plan;
  let begun = performance.now();
  const change = await context.store.change(sessionId, (row, { cursors }) => {
    // The transaction has begun, and nobody else can write until it is committed.
    begun = performance.now();
    const kept = cursors.get(source.source);
    if ((kept?.byteOffset ?? 0) !== batch.from || (row === undefined) !== (batch.from === 0 && plan.isNew))
      throw conflict(sessionId);
    return decideBatch(row, plan, batch, (body, at) => ({ ...stamp(quiet, body, at), channel: null }));
  });
  const { events } = change;
  const entries = events.filter(({ body }) => body.kind === "entry_added").length;
  return { entries, events: events.length, ms: performance.now() - begun };
}

type Stamp = (body: EventBody, at: Instant) => NewEvent;

function decideBatch(
  kept: SessionRow | undefined,
  plan: SourcePlan,
  batch: ReadBatch,
  stamped: Stamp,
): Decision {
  const begins = kept === undefined ? [created(plan, stamped)] : goesOn(kept, batch, stamped);
  const row = begins.reduce<SessionRow | undefined>(
    (before, event) => apply(before, { ...event, sessionId: plan.sessionId, seq: (before?.seq ?? 0) + 1 }),
    kept,
  ) as SessionRow;
  const events = [...begins];
  const unknown: NewUnknownRecord[] = [];
  let known = row;
  for (const piece of batch.pieces) {
    const decided = decideParsed(known, { ...piece, now: piece.at, stamp: stamped });
    events.push(...decided.events);
    unknown.push(...(decided.unknown ?? []));
    if (piece.totals) known = { ...known, reported: noteTotals(known.reported, piece.totals, piece.at) };
    if (piece.identity) known = { ...known, ...piece.identity };
  }
  const cursor: ReadCursor = {
    source: plan.source.source,
    byteOffset: batch.to,
    file: batch.file,
    memory: writeState(batch.state),
  };
  return {
    events: [
      ...events,
      ...(batch.rest ? ended(row, plan, { ...batch, rest: batch.rest }, stamped) : []),
      ...(batch.isAtWork ? atWork(row, plan, batch, stamped) : []),
    ],
    usage: [...batch.usage.values()],
    cursors: [cursor],
    unknown,
  };
}

function created({ identity, createdAt, sessionId }: SourcePlan, stamped: Stamp): NewEvent {
  const beginning = { origin: "imported", state: "unknown", evidence: EVIDENCE, process: null } as const;
  const body: EventBody = { kind: "created", identity, ...beginning, hasFile: false, createdAt };
  return { ...stamped(body, createdAt), id: `${sessionId}-imported` };
}

/** A session whose history had ended for an earlier import was resumed since. */
function goesOn(row: SessionRow, { pieces }: ReadBatch, stamped: Stamp): NewEvent[] {
  const first = pieces[0];
  if (row.origin !== "imported" || !isEnded(row.state) || first === undefined) return [];
  const generation = row.generation + 1;
  return [
    stamped({ kind: "resumed", state: "resuming", evidence: EVIDENCE, generation, launch: null }, first.at),
  ];
}

function atWork(
  row: SessionRow,
  { createdAt }: SourcePlan,
  { state }: ReadBatch,
  stamped: Stamp,
): NewEvent[] {
  if (row.origin !== "imported" || row.process !== null || row.state === "running") return [];
  const body: EventBody = { kind: "status_declared", state: "running", outcome: null, evidence: EVIDENCE };
  return [stamped(body, state.lastAt ?? createdAt)];
}

/** Its record is that of a session that has ended, by its last turn; one that is observed is left to who observes it. */
function ended(
  row: SessionRow,
  { createdAt }: SourcePlan,
  { rest, state, pieces }: ReadBatch & Required<Pick<ReadBatch, "rest">>,
  stamped: Stamp,
): NewEvent[] {
  const at = state.lastAt ?? createdAt;
  const ends = rest.ends.map(({ id, body }) => ({ ...stamped(body(row.generation), at), id }));
  if (row.origin !== "imported") return ends;
  // A reader before this one may have seen the last turn end.
  const isSeen = state.outcome === null && rest.ends.length + pieces.length === 0;
  const outcome = rest.outcome ?? (isSeen ? (row.turn?.outcome ?? null) : null);
  const isKnown = row.state === "stopped" && row.outcome === outcome;
  if (isKnown) return ends;
  return [...ends, stamped({ kind: "status_declared", state: "stopped", outcome, evidence: EVIDENCE }, at)];
}

function conflict(sessionId: string): RollcallError {
  return new RollcallError("seq_conflict", `Someone else reads the history of ${sessionId} at the moment.`, {
    hint: "Import again when they are done.",
    facts: { sessionId },
  });
}
