import type { EventBody, FeedEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded, isLive } from "../../domain/session/state.ts";
import type { Daemon } from "../daemon.ts";

/** Begins to listen at once, so that nothing is missed between an act and the wait for what it leads to. */
export class Watch implements Disposable {
  readonly #held: Disposable[] = [];
  readonly #seen = Promise.withResolvers<boolean>();

  constructor(
    daemon: Daemon,
    row: SessionRow,
    isIt: (event: FeedEvent) => boolean,
    isInVain: (event: FeedEvent) => boolean = () => false,
  ) {
    const judge = (event: FeedEvent) => {
      if (!("seq" in event) || event.seq <= row.seq) return;
      if (isIt(event)) this.saw();
      else if (isInVain(event)) this.#seen.resolve(false);
      // Nothing more can come.
      else if (event.body.kind === "state_changed" && isEnded(event.body.to)) this.#seen.resolve(false);
    };
    this.hold(daemon.hub.listen(judge, [row.id]));
  }

  /** Lets go of it together with the rest. */
  hold(listening: Disposable): void {
    this.#held.push(listening);
  }

  /** It was seen in another way than by an event. */
  saw(): void {
    this.#seen.resolve(true);
  }

  async within(ms: number): Promise<boolean> {
    const timer = setTimeout(() => this.#seen.resolve(false), ms);
    try {
      return await this.#seen.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    for (const listening of this.#held) listening[Symbol.dispose]();
  }
}

type StateChanged = Extract<EventBody, { kind: "state_changed" }>;

/** Its state shows what the agent itself did. A pause, a text, an end that was asked for and a loss show nothing of it. */
export function isAgentsDoing(body: FeedEvent["body"]): body is StateChanged {
  if (body.kind !== "state_changed" || body.to === "paused" || body.to === "unknown") return false;
  if (isLive(body.to) && (body.evidence.source === "operator" || body.evidence.source === "timer"))
    return false;
  return (body.to !== "stopping" && !isEnded(body.to)) || body.ending?.how === "left";
}
