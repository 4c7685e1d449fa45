import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
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
      else if (event.body.kind === "ended") this.#seen.resolve(false);
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

/** Its state shows what the agent itself did. A pause, a text, an end that was asked for and a loss show nothing of it. */
export function isAgentsDoing(body: FeedEvent["body"]): boolean {
  switch (body.kind) {
    case "at_work":
    case "at_prompt":
    case "asked":
    case "answered":
      return body.evidence.source !== "operator" && body.evidence.source !== "timer";
    case "end_began":
      return body.ending?.how === "left";
    case "ended":
      return body.how === "left";
    default:
      return false;
  }
}
