import { setTimeout as sleep } from "node:timers/promises";
import { RollcallError } from "../../domain/errors.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { Outcome } from "../../domain/session/outcome.ts";
import type { Channel, SessionRecord, SessionRow } from "../../domain/session/session.ts";
import { isEnded, isLive } from "../../domain/session/state.ts";
import { NOT_PROVEN } from "../../domain/supervise/decide-end.ts";
import { launchFolder } from "../../home/launch-folder.ts";
import { durationOf } from "../../home/settings.ts";
import { findExitFile } from "../../host/holder-files.ts";
import { configNow } from "../config-now.ts";
import { type Daemon, liveOrThrow, notCarried } from "../daemon.ts";
import { faultPoint } from "../fault-point.ts";
import { rowOf } from "../launch/start.ts";
import type { LiveSession } from "../session/live-session.ts";
import { survivorsOf } from "../session/tree-watch.ts";
import { endKept, keptOf } from "./kept-children.ts";
import type { Done } from "./send.ts";
import { waitForSessions } from "./wait.ts";

/** A session that is gone is answered for within this, also while its last output is still being kept. */
const RECORDED_MS = 30_000;

type EndKnown = Extract<EventBody, { kind: "ended" | "lost" | "silent" }>;

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
  /** False where it was waited for the proof in vain and it goes on being tried, or where nobody is left who could prove it. */
  readonly isProven?: boolean;
}

/** However many ask, it is ended once; each is answered when no process is left, or told which are. */
export async function endSession(daemon: Daemon, input: EndInput, signal: AbortSignal): Promise<Ended> {
  const row = await rowOf(daemon, input.sessionId);
  if (row.carried === null) throw notCarried(row);
  if (isEnded(row.state)) return endAgain(daemon, row, input);
  const known = daemon.get(row.id);
  if (known?.isClosing) await known.closed;
  const session = daemon.get(row.id) ?? daemon.reopen(row);
  if (!session) throw notCarried(row);
  const graceMs = input.graceMs ?? durationOf(session.config, "end.grace");
  faultPoint("end.asked");
  if (input.isSelf) session.holdEnd(hasLeft(signal));
  const outcome = input.outcome === undefined ? {} : { outcome: input.outcome };
  const recorded = session.observe(
    { saw: "end_asked", graceMs, ...outcome },
    { channel: input.channel ?? null },
  );
  await recorded.catch((error: unknown) => {
    if (!isOfStore(error)) throw error;
    session.endUnrecorded(graceMs);
    throw notRecorded(error, `the processes of session ${session.id} are ended without a record.`);
  });
  // Nothing to follow: what is left, if anything, is found by its marker.
  if (!session.holder.connection && row.state === "unknown") session.look(0);
  if (input.wait === false || input.isSelf) return describe(daemon, row.id);
  return proof(daemon, session, graceMs, signal);
}

function isOfStore(error: unknown): error is RollcallError {
  return error instanceof RollcallError && error.code.startsWith("store_");
}

/** So long the process that ends its own session may take to read the answer and leave. */
const ANSWERED_MS = 5000;

/** Resolves when the caller has closed its connection, or has had time enough. */
async function hasLeft(signal: AbortSignal): Promise<void> {
  await sleep(ANSWERED_MS, undefined, { signal, ref: false }).catch(() => {});
}

/** A store that takes nothing must not keep an agent running that may be what fills the disk. */
function notRecorded(cause: RollcallError, what: string): RollcallError {
  const sentence = `${cause.message.replace(/\.$/, "")}: ${what}`;
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
    if (findExitFile(session.folder)?.tree.state === "empty") return recorded(daemon, session, signal);
    return {
      ...(await describe(daemon, session.id)),
      remaining: await remainingOf(session),
      isProven: false,
    };
  }
  await session.closed;
  return describe(daemon, session.id);
}

/** Proven, and about to be recorded: what the session said last is kept before its end is. */
async function recorded(daemon: Daemon, { id }: LiveSession, signal: AbortSignal): Promise<Ended> {
  const until = ["stopped", "failed", "unknown"] as const;
  const waiting = waitForSessions(daemon, { sessionIds: [id], until, timeoutMs: RECORDED_MS }, signal);
  await waiting.catch((error: unknown) => {
    if (!(error instanceof RollcallError) || error.code !== "timed_out" || signal.aborted) throw error;
  });
  return describe(daemon, id);
}

/** The processes to name where holder and guard could not prove the end. */
function survivorPids({ services: { places } }: Daemon, { carried, process }: SessionRow): number[] {
  if (!carried) return [];
  const { marker, cwd } = carried.launch;
  return survivorsOf(launchFolder(places.home, marker), process, cwd).map(({ pid }) => pid);
}

/** It has ended; what it was told to leave running may not have. */
async function endAgain(daemon: Daemon, row: SessionRow, input: EndInput): Promise<Ended> {
  const { services } = daemon;
  const config = configNow(services, row.carried?.launch.cwd ?? services.places.home);
  const graceMs = input.graceMs ?? durationOf(config, "end.grace");
  const withinMs = graceMs + durationOf(config, "end.proof");
  const isProven = input.wait === false || (await endKept(services, row, { graceMs, withinMs }));
  const described = await describe(daemon, row.id);
  return { ...described, ...(isProven ? {} : { isProven }) };
}

async function describe(daemon: Daemon, id: string): Promise<Ended> {
  const { rollcall, context } = daemon.services;
  const session = await rollcall.get(id);
  const { items } = await context.store.list({ parentId: id, limit: 0 });
  const children = items
    .filter(({ row }) => row.carried !== null && isLive(row.state))
    .map(({ row }) => row.id);
  const row = await rowOf(daemon, id);
  const end = await endOf(daemon, id);
  const killed = (end?.kind === "ended" ? end.exit?.killed : null) ?? null;
  if (end?.evidence.rule !== NOT_PROVEN || isLive(row.state))
    return { session, killed, remaining: await keptOf(daemon.services, row), children };
  return { session, killed, remaining: survivorPids(daemon, row), children, isProven: false };
}

/** The event that says how it ended, or that this cannot be known. */
async function endOf(daemon: Daemon, id: string): Promise<EndKnown | undefined> {
  // Few: each may hold 64 KB of output.
  const events = await daemon.services.context.store.events(id, { limit: 20, tail: true });
  const bodies = events.map(({ body }) => body);
  return bodies.findLast(
    (body): body is EndKnown => body.kind === "ended" || body.kind === "lost" || body.kind === "silent",
  );
}

/** As the holder named them; it may not have given up yet, and then the marker tells. */
async function remainingOf({ folder, carrying, leftovers }: LiveSession): Promise<readonly number[]> {
  const named = findExitFile(folder)?.tree.remaining ?? [];
  if (named.length > 0) return named;
  return (await leftovers.of(carrying.launch.marker, folder)).map(({ pid }) => pid);
}

export async function pauseSession(
  daemon: Daemon,
  { sessionId, channel }: { readonly sessionId: string; readonly channel?: Channel },
): Promise<Done> {
  const row = await rowOf(daemon, sessionId);
  const session = liveOrThrow(daemon, row);
  if (row.state === "stopping") throw new RollcallError("wrong_state", `Session ${row.id} is being ended.`);
  const { seq } = await session.observe({ saw: "pause_asked" }, { channel: channel ?? null });
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
  const ask = async () => session.observe({ saw: "continue_asked" }, { channel: channel ?? null });
  try {
    const { seq } = await ask();
    return { sessionId, seq };
  } catch (error) {
    if (!isOfStore(error)) throw error;
    // A paused process of its own may be what keeps the store: it goes on first.
    session.pausing.continueUnrecorded();
    const { seq } = await ask().catch(() => {
      throw notRecorded(error, `session ${row.id} goes on without a record.`);
    });
    return { sessionId, seq };
  }
}
