import { RollcallError } from "../domain/errors.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Channel, SessionRecord, SessionRow } from "../domain/session.ts";
import { isEnded, isLive } from "../domain/state.ts";
import { findExitFile } from "../host/holder-files.ts";
import { durationOf } from "../record/config.ts";
import { configNow } from "./config-now.ts";
import { type Daemon, liveOrThrow, notCarried } from "./daemon.ts";
import { faultPoint } from "./fault-point.ts";
import { endKept, keptOf } from "./kept-children.ts";
import type { LiveSession } from "./live-session.ts";
import type { Done } from "./send.ts";
import { rowOf } from "./start.ts";
import { waitForSessions } from "./wait.ts";

export interface EndInput {
  readonly sessionId: string;
  readonly graceMs?: number;
  readonly outcome?: Outcome;
  readonly wait?: boolean;
  readonly isSelf?: boolean;
  readonly channel?: Channel;
}

export interface Ended {
  readonly session: SessionRecord;
  readonly killed: number | null;
  readonly remaining: readonly number[];
  /** Sessions that it started and that run on. */
  readonly children: readonly string[];
  /** False where it was waited for the proof in vain: it goes on being tried. */
  readonly isProven?: boolean;
}

/** However many ask, it is ended once; each is answered when no process is left, or told which are. */
export async function endSession(daemon: Daemon, input: EndInput, signal: AbortSignal): Promise<Ended> {
  const row = await rowOf(daemon, input.sessionId);
  if (row.carried === null) throw notCarried(row);
  if (isEnded(row.state)) return endAgain(daemon, row, input);
  const known = daemon.get(row.id);
  if (known?.isClosing) await known.closed;
  const session = daemon.get(row.id) ?? daemon.carryAgain(row);
  if (!session) throw notCarried(row);
  const graceMs = input.graceMs ?? durationOf(session.config, "end.grace");
  faultPoint("end.asked");
  const outcome = input.outcome === undefined ? {} : { outcome: input.outcome };
  const recorded = session.sight({ saw: "end_asked", graceMs, ...outcome }, input.channel ?? null);
  await recorded.catch((error: unknown) => {
    if (!(error instanceof RollcallError && error.code.startsWith("store_"))) throw error;
    session.endUnrecorded(graceMs);
    throw notRecorded(session.id, error);
  });
  // Nothing to follow: what is left, if anything, is found by its marker.
  if (!session.follower.connection && row.state === "unknown") session.look(0);
  if (input.wait === false || input.isSelf) return describe(daemon, row.id);
  return proof(daemon, session, graceMs, signal);
}

/** A store that takes nothing must not keep an agent running that may be what fills the disk. */
function notRecorded(id: string, cause: RollcallError): RollcallError {
  const sentence = `${cause.message.replace(/\.$/, "")}: the processes of session ${id} are ended without a record.`;
  const hint = `${cause.hint ?? ""} It is recorded as soon as it can be.`.trimStart();
  return new RollcallError(cause.code, sentence, { cause, hint });
}

async function proof(
  daemon: Daemon,
  session: LiveSession,
  graceMs: number,
  signal: AbortSignal,
): Promise<Ended> {
  const timeoutMs = graceMs + durationOf(session.config, "end.proof");
  const until = ["stopped", "failed", "unknown"] as const;
  try {
    await waitForSessions(daemon, { sessionIds: [session.id], until, timeoutMs }, signal);
  } catch (error) {
    if (!(error instanceof RollcallError) || error.code !== "timed_out" || signal.aborted) throw error;
    return {
      ...(await describe(daemon, session.id)),
      remaining: await remainingOf(session),
      isProven: false,
    };
  }
  await session.closed;
  return describe(daemon, session.id);
}

/** It has ended; what it was told to leave running may not have. */
async function endAgain(daemon: Daemon, row: SessionRow, input: EndInput): Promise<Ended> {
  const { services } = daemon;
  const config = configNow(services, row.carried?.launch.cwd ?? services.places.home);
  const graceMs = input.graceMs ?? durationOf(config, "end.grace");
  const withinMs = graceMs + durationOf(config, "end.proof");
  const isProven = input.wait === false || (await endKept(services, row, { graceMs, withinMs }));
  return { ...(await describe(daemon, row.id)), ...(isProven ? {} : { isProven }) };
}

async function describe(daemon: Daemon, id: string): Promise<Ended> {
  const { rollcall, context } = daemon.services;
  const session = await rollcall.get(id);
  const { items } = await context.store.list({ parentId: id, limit: 0 });
  const children = items
    .filter(({ row }) => row.carried !== null && isLive(row.state))
    .map(({ row }) => row.id);
  const remaining = await keptOf(daemon.services, await rowOf(daemon, id));
  return { session, killed: await killedOf(daemon, id), remaining, children };
}

async function killedOf(daemon: Daemon, id: string): Promise<number | null> {
  const events = await daemon.services.context.store.events(id, { limit: 200, tail: true });
  const end = events.findLast(({ body }) => body.kind === "state_changed" && isEnded(body.to));
  return end?.body.kind === "state_changed" ? (end.body.killed ?? null) : null;
}

/** As the holder named them; it may not have given up yet, and then the marker tells. */
async function remainingOf({ folder, carrying, services }: LiveSession): Promise<readonly number[]> {
  const named = findExitFile(folder)?.tree.remaining ?? [];
  if (named.length > 0) return named;
  return (await services.leftovers.of(carrying.launch.marker, folder)).map(({ pid }) => pid);
}

export async function pauseSession(
  daemon: Daemon,
  { sessionId, channel }: { readonly sessionId: string; readonly channel?: Channel },
): Promise<Done> {
  const row = await rowOf(daemon, sessionId);
  const session = liveOrThrow(daemon, row);
  if (row.state === "stopping") throw new RollcallError("wrong_state", `Session ${row.id} is being ended.`);
  const { seq } = await session.sight({ saw: "pause_asked" }, channel ?? null);
  return { sessionId, seq };
}

export async function continueSession(
  daemon: Daemon,
  { sessionId, channel }: { readonly sessionId: string; readonly channel?: Channel },
): Promise<Done> {
  const row = await rowOf(daemon, sessionId);
  const session = liveOrThrow(daemon, row);
  if (row.state !== "paused")
    throw new RollcallError("wrong_state", `Session ${row.id} is ${row.state}, not paused.`);
  const { seq } = await session.sight({ saw: "continue_asked" }, channel ?? null);
  return { sessionId, seq };
}
