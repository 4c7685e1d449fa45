import type { Client } from "../../client/client.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { isLive, type State } from "../../domain/session/state.ts";
import { NOT_DELIVERED, type Turn } from "../../domain/session/turn.ts";
import { answerCommand, questionOf } from "../../present/request.ts";
import { lastAnswer } from "../../record/last-answer.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import type { Output } from "../framework/output.ts";
import { describeEnd } from "./describe-end.ts";
import { offerWorktree } from "./worktree-offer.ts";

interface Waited {
  readonly session: SessionRecord;
  readonly reached: State | null;
  readonly turn: Turn | null;
  readonly isLate?: boolean;
}

const EXITS = { success: 0, failure: 1, interrupted: 4 } as const;

export interface Awaited {
  readonly session: SessionRecord;
  /** Entries up to this seq are no answer. */
  readonly after: number;
  /** The turn to wait for; null where the session tells nothing of turns, or its end is waited for. */
  readonly turn: number | null;
  /** The text that was given. */
  readonly text?: string | undefined;
  readonly timeoutMs?: number;
}

/** Waits for the end of an autonomous session, else for the end of the turn; prints the last answer, exits by how it went. */
export async function finishWait(
  client: Client,
  rollcall: Rollcall,
  output: Output,
  awaited: Awaited,
): Promise<number> {
  const { session, after, turn, timeoutMs } = awaited;
  const isGoal = session.kind === "autonomous";
  const asked = {
    sessionIds: [session.id],
    ...(turn === null || isGoal ? { after } : { turn }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const { results } = await naming(session, () =>
    client.call<{ results: Waited[] }>("wait_for_session", asked),
  );
  return tell(rollcall, output, awaited, results[0] as Waited);
}

/** Gives an error of the daemon the session that it is about, where it does not say so itself. */
export async function naming<T>(session: SessionRecord, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RollcallError) || error.message.includes(session.id)) throw error;
    const { code, message, hint, facts } = error;
    throw new RollcallError(code, `${called(session)}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      facts,
      cause: error,
    });
  }
}

async function tell(rollcall: Rollcall, output: Output, awaited: Awaited, waited: Waited): Promise<number> {
  const { session, reached, turn } = waited;
  const joins = await hasNoTurns(rollcall, session.id);
  const { after, text } = awaited;
  const answer = await lastAnswer(rollcall, session.id, { after, turn: awaited.turn, text, joins });
  if (output.isJson) output.json({ session, reached, turn, answer });
  else if (answer !== null && answer !== "") output.text(answer.endsWith("\n") ? answer : `${answer}\n`);
  if (isAsking(waited)) {
    output.note(`${called(session)} asks: ${questionOf(session)}`);
    output.note(`Answer with ${answerCommand(session)}`);
    return 4;
  }
  if (waited.isLate)
    output.note(`${called(session)} wrote no more of its transcript in time; see rollcall data.`);
  if (!isLive(session.state)) await offerWorktree(rollcall, output, session);
  const code = joins || !isLive(session.state) ? exitOf(session) : exitOfTurn(turn);
  if (code !== 0) output.note(`${called(session)}: ${reasonOf(waited)}`);
  else if (answer === null && !joins) output.note(`${called(session)} ended its turn without words.`);
  return code;
}

/** A request on the way: the turn goes on once it is answered. */
function isAsking({ session, reached, turn }: Waited): boolean {
  const isOver = turn?.state === "done";
  return (
    reached === "waiting_input" && !isOver && session.waiting !== null && session.waiting.for !== "prompt"
  );
}

function called({ id, name }: SessionRecord): string {
  return name === null ? id : `${id} (${name})`;
}

function reasonOf({ session, turn }: Waited): string {
  const error = turn?.error ?? null;
  if (error === NOT_DELIVERED)
    return `it did not show that it took the text. See its screen with rollcall data ${session.id}`;
  if (error !== null) return error;
  if (!isLive(session.state)) return describeEnd(session);
  return turn?.outcome === "interrupted" ? "the turn was interrupted" : "how the turn went is not known";
}

function exitOf({ endReason, outcome }: SessionRecord): number {
  if (endReason === "timeout" || endReason === "idle_timeout") return 5;
  return outcome === null ? 1 : EXITS[outcome];
}

function exitOfTurn(turn: Turn | null): number {
  return turn?.outcome ? EXITS[turn.outcome] : 1;
}

async function hasNoTurns(rollcall: Rollcall, id: string): Promise<boolean> {
  const row = await rollcall.context.store.findRow(id);
  return row?.carried?.launch.tellsTurns !== true;
}

/** Only a pattern tells when a plain command waits again. */
export async function checkWaitable(rollcall: Rollcall, id: string): Promise<void> {
  const launch = (await rollcall.context.store.findRow(id))?.carried?.launch;
  if (!launch || launch.tellsTurns || launch.waitPattern !== null) return;
  throw new RollcallError(
    "not_offered",
    `Session ${id} is a plain command: nothing tells when it has answered.`,
    {
      hint: "Start it with --wait-pattern, or read on with `rollcall data`.",
    },
  );
}
