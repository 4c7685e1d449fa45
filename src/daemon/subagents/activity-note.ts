import type { Instant } from "../../domain/time.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import type { Services } from "../services.ts";
import { ActivityWatch } from "../session/activity-watch.ts";

type Ports = Pick<Services, "context" | "observations" | "log">;

/** The activity of a session that Rollcall only observes, written with the next batch of observations. */
export class ActivityNote {
  readonly #ports: Ports;
  readonly #id: string;
  readonly #activity: ActivityWatch;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: Ports, id: string) {
    this.#ports = ports;
    this.#id = id;
    this.#activity = new ActivityWatch(ports.context.now, () => this.#writeSoon());
  }

  /** The entries were redacted before. */
  addEntries(entries: readonly NewEntry[], at: Instant | undefined): void {
    if (entries.length > 0) this.#activity.addEntries(entries, at);
  }

  /** Writes what is not written yet. */
  stop(): void {
    if (this.#timer) void this.#write();
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.#write(), this.#ports.observations.msToTick);
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { observations, log } = this.#ports;
    const noted = observations.note(this.#id, { activity: this.#activity.current });
    await noted.catch((error: unknown) =>
      log.warn({ session: this.#id, err: error }, "could not write the activity"),
    );
  }
}
