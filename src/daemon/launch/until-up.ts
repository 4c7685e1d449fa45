import type { FeedEvent } from "../../domain/session/event.ts";
import type { State } from "../../domain/session/state.ts";
import { newState } from "../../domain/supervise/news.ts";
import type { Daemon } from "../daemon.ts";

/** Resolves when a session is no longer coming up: its agent shows what it does, or nothing more is expected of it. */
export async function untilUp(
  { hub, services }: Pick<Daemon, "hub" | "services">,
  id: string,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const judge = ({ body }: FeedEvent) => {
    const state = newState(body);
    if (body.kind === "deleted" || (state !== undefined && !isComingUp(state))) resolve();
  };
  // Listening first and looking then: nothing can fall in between.
  using _listening = hub.listen(judge, [id]);
  const row = await services.context.store.findRow(id);
  if (!row || !isComingUp(row.state)) resolve();
  await promise;
}

function isComingUp(state: State): boolean {
  return state === "starting" || state === "resuming";
}
