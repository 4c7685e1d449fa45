import type { Decision, EventBody, NewEvent, SessionEvent } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import type { Action, Observation } from "../../domain/supervise/observation.ts";
import { decide, type StampedObservation } from "../../domain/supervise/supervise.ts";
import type { Instant } from "../../domain/time.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import type { AskedBy, Committed } from "./committed.ts";

/** An action that is not an event. */
export type Act = Exclude<Action, { do: "append" }>;

/** The world of a session loop: its store, its clock and its hands. */
export interface LoopPorts {
  /** Commits what `decide` makes of the row as it is inside the transaction; resolves when it is durable. */
  change(decide: (row: SessionRow | undefined) => Decision | readonly NewEvent[]): Promise<{
    readonly row: SessionRow;
    readonly events: readonly SessionEvent[];
  }>;
  now(): Instant;
  /** Makes events of what happened, with an id and without secrets. Asked for while the caller is known. */
  stamper(channel: Channel | null): (body: EventBody, at: Instant) => NewEvent;
  /** Events were committed: whatever follows the row sees it before anything is done. */
  committed(row: SessionRow): Promise<void> | void;
  act(action: Act): Promise<void> | void;
  /** Another one in tests that plant a fault. */
  readonly decide?: (row: SessionRow, stamped: StampedObservation) => readonly Action[];
}

/**
 * Observe, decide, commit, act: one observation of a session after the other. It keeps nothing that the row does not:
 * a loop that is made anew from the row decides the same.
 */
export class SessionLoop {
  readonly #ports: LoopPorts;
  readonly #generation: number;
  readonly #queue = new SerialQueue();

  constructor(ports: LoopPorts, generation: number) {
    this.#ports = ports;
    this.#generation = generation;
  }

  /** Resolves when the events are committed and the actions that follow from them were begun. */
  async observe(observation: Observation, { channel = null, inputId }: AskedBy = {}): Promise<Committed> {
    const { change, now, committed, act, decide: decideIt = decide } = this.#ports;
    const stamp = this.#ports.stamper(channel);
    return this.#queue.run(async () => {
      const at = now();
      let actions: readonly Action[] = [];
      const { row, events } = await change((before) => {
        const stamped = { observation, generation: this.#generation, at };
        actions = before ? decideIt(before, stamped) : [];
        return actions.flatMap((action) => {
          if (action.do !== "append") return [];
          const event = stamp(action.body, at);
          const isKeyed = inputId !== undefined && event.body.kind === "input_given";
          return [isKeyed ? { ...event, id: inputId } : event];
        });
      });
      // An end that was recorded elsewhere: its events are committed, and nothing has followed them yet.
      if (events.length > 0 || observation.saw === "end_recorded") await committed(row);
      for (const action of actions) if (action.do !== "append") await act(action);
      return { row, events, seq: events.at(-1)?.seq ?? row.seq };
    });
  }

  /** Runs behind every observation that was made before. */
  async inOrder<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  /** Resolves when everything that was observed so far is dealt with. */
  async settled(): Promise<void> {
    await this.#queue.settled();
  }
}
