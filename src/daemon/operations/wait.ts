import { RollcallError } from "../../domain/errors.ts";
import { shows } from "../../domain/screen/same-text.ts";
import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { isEnded, type State } from "../../domain/session/state.ts";
import type { Turn } from "../../domain/session/turn.ts";
import { newState, waitingForAfter } from "../../domain/supervise/news.ts";
import { timerMs } from "../../domain/time.ts";
import type { Daemon } from "../daemon.ts";
import { waitForTurn } from "./wait-turn.ts";

export interface WaitInput {
  readonly sessionIds: readonly string[];
  readonly until?: readonly State[];
  readonly any?: boolean;
  /** Until this turn of the only session is over; no state counts then. */
  readonly turn?: number;
  /** Only what came later counts. */
  readonly after?: number;
  readonly timeoutMs?: number;
}

export interface Waited {
  readonly session: SessionRecord;
  readonly reached: State | null;
  /** The turn that was waited for, else the newest. */
  readonly turn: Turn | null;
  readonly isLate?: boolean;
}

const DEFAULT_UNTIL: readonly State[] = ["waiting_input", "stopped", "failed", "unknown"];

/** Until all sessions, or any of them, reach one of the states; one that ends without is answered with null. */
export async function waitForSessions(
  daemon: Daemon,
  input: WaitInput,
  signal: AbortSignal,
): Promise<Waited[]> {
  if (input.turn !== undefined) return [await waitedTurn(daemon, input, input.turn, signal)];
  const until = input.until ?? DEFAULT_UNTIL;
  const gone = new AbortController();
  const waits = input.sessionIds.map(async (id) => {
    const reached = await reach(daemon, id, until, input.after, AbortSignal.any([signal, gone.signal]));
    return { id, reached };
  });
  try {
    const reached = await within(daemon, input, input.any ? firstOf(waits) : Promise.all(waits));
    return await Promise.all(
      reached.map(async ({ id, reached: state }) => {
        const session = await daemon.services.rollcall.get(id);
        return { session, reached: state, turn: session.turn };
      }),
    );
  } finally {
    gone.abort();
    for (const wait of waits) wait.catch(() => {});
  }
}

async function waitedTurn(
  daemon: Daemon,
  input: WaitInput,
  turn: number,
  signal: AbortSignal,
): Promise<Waited> {
  const [id = "", ...others] = input.sessionIds;
  if (others.length > 0)
    throw new RollcallError("bad_input", "A turn can be waited for in one session only.", {
      hint: "Name one session, or leave the turn out.",
    });
  const gone = new AbortController();
  try {
    const both = AbortSignal.any([signal, gone.signal]);
    const waited = await within(daemon, input, waitForTurn(daemon, id, turn, both));
    return { ...waited, session: await daemon.services.rollcall.get(id) };
  } finally {
    gone.abort();
  }
}

/** One that ends without does not keep the others from getting there; where none did, all are told. */
async function firstOf<T extends { readonly reached: State | null }>(
  waits: readonly Promise<T>[],
): Promise<readonly T[]> {
  const first = Promise.withResolvers<readonly T[]>();
  for (const wait of waits)
    wait.then((waited) => waited.reached !== null && first.resolve([waited]), first.reject);
  Promise.all(waits).then(first.resolve, first.reject);
  return first.promise;
}

/** The state that was reached; null where the session ended without. */
async function reach(
  daemon: Daemon,
  id: string,
  until: readonly State[],
  after: number | undefined,
  signal: AbortSignal,
): Promise<State | null> {
  const { promise, resolve, reject } = Promise.withResolvers<State | null>();
  // Already reported to the caller; avoids an unhandled rejection.
  promise.catch(() => {});
  // A late event of the feed was true before this call, and does not answer it.
  let from = after ?? 0;
  let owed = await owedText(daemon, id, after);
  const judge = (event: FeedEvent) => {
    if (owed !== undefined && isTakenUp(event, owed, from)) owed = undefined;
    const state = stateOf(event, from);
    if (state === undefined || (owed !== undefined && isPrompt(event))) return;
    if (state !== "gone" && until.includes(state)) resolve(state);
    else if (state === "gone" || isEnded(state)) resolve(null);
  };
  // Listening first and looking then: nothing can fall in between.
  using _listening = daemon.hub.listen(judge, [id]);
  const leave = () => reject(new RollcallError("timed_out", "The caller disconnected."));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const row = (await daemon.services.rollcall.get(id)) as SessionRecord;
  if (after === undefined && until.includes(row.state)) return row.state;
  if (after === undefined) from = row.seq;
  else {
    for await (const event of daemon.services.rollcall.events(id, { after })) judge({ ...event, cursor: "" });
  }
  // Already over, and nothing more can come.
  if (isEnded(row.state)) resolve(until.includes(row.state) ? row.state : null);
  // Awaited here: the listener is let go of when this returns.
  return await promise;
}

/** A text that was given in mid-turn has a turn of its own: the prompt before that one is not its answer. */
async function owedText(daemon: Daemon, id: string, after: number | undefined): Promise<string | undefined> {
  if (after === undefined || after === 0) return undefined;
  const [event] = await daemon.services.context.store.events(id, { after: after - 1, limit: 1 });
  const isQueued = event?.seq === after && event.body.kind === "input_given" && event.body.isQueued;
  return isQueued && event.body.kind === "input_given" ? event.body.text : undefined;
}

function isTakenUp(event: FeedEvent, text: string, after: number): boolean {
  if (!("seq" in event) || event.seq <= after || event.body.kind !== "entry_added") return false;
  return event.body.entry.role === "user" && shows(event.body.entry.text ?? "", text);
}

function isPrompt({ body }: FeedEvent): boolean {
  return waitingForAfter(body) === "prompt";
}

function stateOf(event: FeedEvent, after: number): State | "gone" | undefined {
  if (event.body.kind === "deleted") return "gone";
  if (!("seq" in event) || event.seq <= after) return undefined;
  return newState(event.body);
}

async function within<T>(daemon: Daemon, { sessionIds, timeoutMs }: WaitInput, work: Promise<T>): Promise<T> {
  if (timeoutMs === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const ms = timerMs(timeoutMs);
  const timer = setTimeout(() => void timedOut(daemon, sessionIds, ms).then(reject, reject), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function timedOut(daemon: Daemon, sessionIds: readonly string[], ms: number): Promise<RollcallError> {
  const sessions = await Promise.all(sessionIds.map(async (id) => daemon.services.context.store.findRow(id)));
  const paused = sessions.find((session) => session?.state === "paused");
  const hint = paused
    ? `Session ${paused.id} is paused; \`rollcall continue ${paused.id}\` lets it go on.`
    : "The session goes on; wait again, or see `rollcall get`.";
  const duration = ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
  return new RollcallError("timed_out", `Timed out after ${duration}.`, { hint });
}
