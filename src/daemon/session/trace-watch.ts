import type { SessionRow } from "../../domain/session/session.ts";
import type { Leftover } from "../../domain/supervise/observation.ts";
import type { Context } from "../../record/context.ts";
import { faultPoint } from "../fault-point.ts";
import type { Leftovers } from "./leftovers.ts";
import type { Facts, Logs, Loop } from "./ports.ts";
import { lookForTraces } from "./traces.ts";

const AGAIN_MS = 5000;

interface Ports extends Facts, Logs, Pick<Loop, "observe" | "row"> {
  readonly context: Context;
  readonly leftovers: Pick<Leftovers, "of" | "kill">;
  readonly isClosing: boolean;
  readonly holder: { /** Takes in the output that a holder left behind. */ readRest(): Promise<void> };
}

/** Looks for what is left of a launch when its holder says nothing, and ends leftovers. */
export class TraceWatch {
  readonly #session: Ports;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: Ports) {
    this.#session = session;
  }

  /** Looks in a while, outside the queue of observations that the caller may stand in. */
  look(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.lookNow(), afterMs);
  }

  async lookNow(): Promise<void> {
    try {
      const row = await this.#session.row();
      if (!row || this.#session.isClosing) return;
      await this.#observe(row);
    } catch (error) {
      this.#session.log.error({ session: this.#session.id, err: error }, "could not look for traces");
      this.look(AGAIN_MS);
    }
  }

  /** Each only while it still is the process that was found; then traces are looked for again. */
  kill(leftovers: readonly Leftover[]): void {
    const { log, id, carrying } = this.#session;
    log.warn({ session: id, pids: leftovers.map(({ pid }) => pid) }, "ending leftovers by their marker");
    const killed = this.#session.leftovers.kill(carrying.launch.marker, leftovers);
    void killed.then((isGone) => this.look(isGone ? 0 : AGAIN_MS));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #observe(row: SessionRow): Promise<void> {
    const traces = await lookForTraces(this.#session, row);
    faultPoint("back.looked");
    const { exit, isHolderAlive } = traces.traces;
    if (exit && (!isHolderAlive || exit.tree.state === "empty")) await this.#session.holder.readRest();
    await this.#session.observe(traces);
  }
}
