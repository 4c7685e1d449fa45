import { RollcallError } from "../../domain/errors.ts";
import { shows } from "../../domain/screen/same-text.ts";
import type { FeedEvent } from "../../domain/session/event.ts";
import { isEnded } from "../../domain/session/state.ts";
import { newState } from "../../domain/supervise/news.ts";
import type { Daemon } from "../daemon.ts";
import { type Said, TAKEN_MS } from "../session/input.ts";
import { notDelivered } from "./send.ts";

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
  let open: number | null = said.turn;
  let last = said.turn ?? 0;
  let isShown = false;
  /** The transcript is ahead of the state: the turn that it was given in is over, though not told yet. */
  let isNext = false;
  let from = said.seq;
  let timer: NodeJS.Timeout | undefined;
  const judge = (event: FeedEvent) => {
    if (!("seq" in event) || event.seq <= from) return;
    from = event.seq;
    const { body } = event;
    if (body.kind === "turn_began") last = open = body.number;
    if (body.kind === "turn_ended" && body.number === open) open = null;
    const isText =
      body.kind === "entry_added" && body.entry.role === "user" && shows(body.entry.text ?? "", text);
    if (isText) isShown = true;
    if (isText && body.opensTurn === true && open === said.turn) isNext = true;
    clearTimeout(timer);
    if (isShown && open !== null && !(isNext && open === said.turn)) resolve(open);
    else if (isOver(event)) resolve(last);
    // The agent rests and has not taken it up: as after an interrupt, which puts the text back into its prompt box.
    else if (open === null) timer = setTimeout(() => reject(notDelivered(id)), TAKEN_MS);
  };
  using _listening = daemon.hub.listen(judge, [id]);
  const leave = () => reject(new RollcallError("timed_out", "The caller disconnected."));
  signal.addEventListener("abort", leave, { once: true });
  try {
    for await (const event of daemon.services.rollcall.events(id, { after: said.seq }))
      judge({ ...event, cursor: "" });
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}

function isOver({ body }: FeedEvent): boolean {
  const state = newState(body);
  return body.kind === "deleted" || state === "unknown" || (state !== undefined && isEnded(state));
}
