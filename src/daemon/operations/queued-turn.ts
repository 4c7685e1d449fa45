import { RollcallError } from "../../domain/errors.ts";
import type { FeedEvent } from "../../domain/session/event.ts";
import type { Daemon } from "../daemon.ts";
import { type Said, TAKEN_MS } from "../session/input.ts";
import { QueuedText } from "./queued-text.ts";
import { notDelivered } from "./send.ts";

/** So far back is looked for a text whose turn is known. */
const EARLIER_EVENTS = 500;

/**
 * The number of the turn that a text given in mid-turn belongs to: the turn in progress, where the agent takes it into
 * that one, or the next. Known when the text shows in the transcript.
 */
export async function turnOfQueued(
  daemon: Daemon,
  id: string,
  said: Said,
  text: string,
  signal: AbortSignal,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  promise.catch(() => {});
  const earlier = await earlierEvents(daemon, id, said.seq);
  // As it is recorded, without secrets, and so as it shows.
  const given = earlier.at(-1)?.body;
  const recorded = given?.kind === "input_given" ? given.text : text;
  const queued = new QueuedText({ seq: said.seq, text: recorded, turn: said.turn });
  let timer: NodeJS.Timeout | undefined;
  let from = 0;
  const settleAtRest = () => {
    // Not taken up: as after an interrupt, which puts the text back into the prompt box.
    if (queued.turnAtRest === undefined) reject(notDelivered(id));
    else resolve(queued.turnAtRest);
  };
  const judge = (event: FeedEvent) => {
    clearTimeout(timer);
    if (event.body.kind === "deleted") reject(notDelivered(id));
    if (!("seq" in event) || event.seq <= from) return;
    from = event.seq;
    const turn = queued.judge(event);
    if (turn !== undefined) resolve(turn);
    else if (queued.isAtRest) timer = setTimeout(settleAtRest, TAKEN_MS);
  };
  // Events that come while the record is read are judged behind it, each in its place.
  let late: FeedEvent[] | undefined = [];
  using _listening = daemon.hub.listen((event) => (late ? late.push(event) : judge(event)), [id]);
  const leave = () => reject(new RollcallError("timed_out", "The caller disconnected."));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    for (const event of earlier) judge({ ...event, cursor: "" });
    for await (const event of daemon.services.rollcall.events(id, { after: said.seq }))
      judge({ ...event, cursor: "" });
    const missed = late;
    late = undefined;
    for (const event of missed) judge(event);
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}

async function earlierEvents(daemon: Daemon, id: string, seq: number) {
  const after = Math.max(0, seq - EARLIER_EVENTS);
  return daemon.services.context.store.events(id, { after, limit: seq - after });
}
