import type { AskedBy, Committed } from "../../daemon/session/committed.ts";
import { type LoopPorts, SessionLoop } from "../../daemon/session/session-loop.ts";
import type { Observation } from "../../domain/supervise/observation.ts";

/** Acts on what it has decided, and does not wait until that is committed. */
export class HastyLoop extends SessionLoop {
  constructor(ports: LoopPorts, generation: number) {
    super({ ...ports, change: withoutWaiting(ports.change) }, generation);
  }
}

/** Answers from inside the transaction. */
function withoutWaiting(change: LoopPorts["change"]): LoopPorts["change"] {
  return async (decide) =>
    new Promise((resolve) => {
      void change((row) => {
        const decision = decide(row);
        if (row) resolve({ row, events: [] });
        return decision;
      });
    });
}

/** Each observation has a queue of its own. */
export class OverlappingLoop extends SessionLoop {
  readonly #newLoop: () => SessionLoop;

  constructor(ports: LoopPorts, generation: number) {
    super(ports, generation);
    this.#newLoop = () => new SessionLoop(ports, generation);
  }

  override async observe(observation: Observation, asked?: AskedBy): Promise<Committed> {
    return this.#newLoop().observe(observation, asked);
  }
}
