import { toInstant } from "../../domain/time.ts";
import type { Observations } from "../feed/observations.ts";
import type { ActivityWatch } from "./activity-watch.ts";
import type { Logs, WallClock } from "./ports.ts";

interface Ports extends Logs, WallClock {
  readonly id: string;
  readonly observations: Observations;
  readonly activity: ActivityWatch;
}

/** Writes what may be lost for seconds, in batches: the activity, the time of the last output, whether someone is attached. */
export class LiveFactsWriter {
  readonly #session: Ports;
  #timer: NodeJS.Timeout | undefined;
  #lastOutputMs = 0;
  #isOver = false;

  constructor(session: Ports) {
    this.#session = session;
  }

  sawOutput(): void {
    this.#lastOutputMs = this.#session.now();
    this.writeSoon();
  }

  writeSoon(): void {
    if (!this.#isOver)
      this.#timer ??= setTimeout(() => void this.write(), this.#session.observations.msToTick);
  }

  /** A failure is no reason to stop following the session. */
  async write(attached?: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { observations, log, id, activity } = this.#session;
    const observed = observations.note(id, {
      ...(activity.current === null ? {} : { activity: activity.current }),
      ...(attached === undefined ? {} : { attached }),
      ...(this.#lastOutputMs === 0 ? {} : { lastOutputAt: toInstant(this.#lastOutputMs) }),
    });
    await observed.catch((error: unknown) =>
      log.warn({ session: id, err: error }, "live facts could not be written"),
    );
  }

  /** The session is over: nobody is attached any more. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.write(false);
  }

  /** The session goes on without us. */
  async letGo(): Promise<void> {
    this.#isOver = true;
    if (this.#timer) await this.write();
  }
}
