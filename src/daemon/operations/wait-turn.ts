import { RollcallError } from "../../domain/errors.ts";
import type { FeedEvent, SessionEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded, type State } from "../../domain/session/state.ts";
import { isOpen, type Turn } from "../../domain/session/turn.ts";
import { newState, waitingForAfter } from "../../domain/supervise/news.ts";
import type { Daemon } from "../daemon.ts";

export interface TurnWaited {
  /** The state in which the turn was over, or that it asks in; null where the session ended without such a turn. */
  readonly reached: State | null;
  readonly turn: Turn | null;
  /** The turn is over, and its transcript did not come in time. */
  readonly isLate?: boolean;
}

/** An agent may write down what it said after it has told that it is done. */
const WORDS_MS = 5000;

/** Until the turn is over, however short it was, and what was said in it can be read; or until it asks for something. */
export async function waitForTurn(
  daemon: Daemon,
  id: string,
  number: number,
  signal: AbortSignal,
): Promise<TurnWaited> {
  const over = Promise.withResolvers<State | null>();
  over.promise.catch(() => {});
  let from = 0;
  const judge = (event: FeedEvent) => {
    if ("seq" in event && event.seq <= from) return;
    const state = stateAfter(event, number);
    if (state !== undefined) over.resolve(state);
  };
  // Listening first and looking then: nothing can fall in between.
  using _listening = daemon.hub.listen(judge, [id]);
  const leave = () => over.reject(new RollcallError("timed_out", "The caller disconnected."));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const row = await rowWithTurns(daemon, id);
  from = row.seq;
  const known = stateNow(row, number);
  if (known !== undefined) over.resolve(known);
  const reached = await over.promise;
  const turn = (await findTurn(daemon, id, number)) ?? null;
  if (isOpen(turn) || turn === null) return { reached, turn };
  const isRead = await areWordsRead(daemon, id, turn);
  return { reached, turn, ...(isRead ? {} : { isLate: true }) };
}

/** The state in which this turn is over by an event; undefined where it goes on. */
function stateAfter({ body }: FeedEvent, number: number): State | null | undefined {
  if (body.kind === "deleted") return null;
  if (body.kind === "turn_ended" && body.number >= number) return "waiting_input";
  const state = newState(body);
  if (state === "unknown" || (state !== undefined && isEnded(state))) return state;
  const waitsFor = waitingForAfter(body);
  return waitsFor === null || waitsFor === "prompt" ? undefined : "waiting_input";
}

function stateNow({ turn, state, waiting }: SessionRow, number: number): State | null | undefined {
  const newest = turn?.number ?? 0;
  if (newest > number || (newest === number && !isOpen(turn))) return state;
  if (isEnded(state)) return null;
  return newest === number && waiting !== null ? state : undefined;
}

async function rowWithTurns(daemon: Daemon, id: string): Promise<SessionRow> {
  const row = await daemon.services.context.store.findRow(id);
  if (row?.turn || row?.carried?.launch.tellsTurns) return row;
  if (row)
    throw new RollcallError("not_offered", `Session ${id} tells nothing of turns.`, {
      hint: "Wait for a state instead: leave the turn out.",
    });
  throw new RollcallError("session_not_found", `There is no session ${id}.`, {
    hint: "See `rollcall list`.",
  });
}

/** Older turns are known from their events. */
async function findTurn(daemon: Daemon, id: string, number: number): Promise<Turn | undefined> {
  let found: Turn | undefined;
  for await (const event of daemon.services.rollcall.events(id)) found = turnAfter(found, event, number);
  return found;
}

function turnAfter(turn: Turn | undefined, { body, at }: SessionEvent, number: number): Turn | undefined {
  if (body.kind === "turn_began" && body.number === number) {
    const state = body.by === "text" ? "pending" : "running";
    return { number, state, outcome: null, error: null, beganAt: at, endedAt: null };
  }
  if (turn === undefined || body.kind !== "turn_ended" || body.number !== number) return turn;
  const { outcome, error } = body;
  const ended = { outcome: turn.outcome ?? outcome, error: turn.error ?? error };
  return { ...turn, ...ended, state: "done", endedAt: turn.endedAt ?? at };
}

/** A turn that failed or was interrupted may have no words; a later turn has them behind it. */
async function areWordsRead(daemon: Daemon, id: string, { number, outcome }: Turn): Promise<boolean> {
  const session = daemon.get(id);
  if (!session || outcome !== "success") return true;
  const row = await session.row();
  if (row?.turn?.number !== number || row.turn.isCommand) return true;
  return session.transcript.readTurn(WORDS_MS);
}
