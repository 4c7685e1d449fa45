import { join } from "node:path";
import { reportFields } from "../../domain/screen/report-sieve.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { HolderMessage, ReportFields } from "../../host/holder-message.ts";
import { readScreen } from "../../host/read-screen.ts";
import { writeSnapshot } from "../../host/snapshot-file.ts";
import type { SerialQueue } from "../../machine/serial-queue.ts";
import { Recording } from "../../recording/recording.ts";
import type { ActivityWatch } from "../session/activity-watch.ts";
import type { Facts, HolderPort, Logs, Settings, WallClock } from "../session/ports.ts";
import type { Output } from "./output.ts";

/** So much output is replayed at an attach at most, once the terminal has rested. */
const SNAPSHOT_BYTES = 512 * 1024;
const REST_MS = 1000;
/** One that writes without a rest, such as a spinner, is not waited for any longer. */
const RESTLESS_BYTES = 4 * 1024 * 1024;
/** More than an agent says in its last moment. */
const REPORTS_KEPT = 100;

export interface TerminalPorts extends Facts, Logs, Settings, WallClock, HolderPort {
  readonly places: { readonly recordings: string };
  readonly snapshots: SerialQueue;
  readonly activity: ActivityWatch;
}

/** The output of a terminal: recorded as it comes, and let go of behind a snapshot of the screen. */
export class TerminalOutput implements Output {
  readonly #session: TerminalPorts;
  readonly #recording: Recording;
  #snapshotAt = 0;
  /** The last that stand in the output. */
  readonly #reports: { readonly offset: number; readonly fields: ReportFields }[] = [];
  #restTimer: NodeJS.Timeout | undefined;
  #isMaking = false;
  #isOver = false;

  constructor(session: TerminalPorts) {
    const { carrying } = session;
    this.#session = session;
    this.#recording = new Recording({
      folder: join(session.places.recordings, session.id),
      generation: carrying.generation,
      mostBytes: session.config["recording.max_bytes"],
      redactor: carrying.redactor,
      now: () => session.now(),
      // An agent's screen is drawn, and its transcript says what it does; a plain program says all by its output.
      shown: (text) =>
        session.carrying.mode.capabilities.outputIsTranscript
          ? session.activity.addOutput(text)
          : session.activity.touch(),
      reported: ({ text, offset }) => {
        this.#reports.push({ offset, fields: reportFields(text) });
        if (this.#reports.length > REPORTS_KEPT) this.#reports.shift();
      },
    });
  }

  get from(): { readonly out: number; readonly err: number } {
    return { out: this.#recording.offset, err: 0 };
  }

  take({ offset, bytes }: Extract<HolderMessage, { type: "output" }>): void {
    this.#recording.write(offset, bytes);
    this.#followUp();
  }

  /** One snapshot at a time: what comes while it is made is looked at behind it. */
  #followUp(): void {
    if (this.#behind < SNAPSHOT_BYTES || this.#isMaking || this.#isOver) return;
    if (this.#behind < RESTLESS_BYTES) clearTimeout(this.#restTimer);
    else if (this.#restTimer) return;
    this.#restTimer = setTimeout(() => void this.#makeSnapshot(), REST_MS);
  }

  async #makeSnapshot(): Promise<void> {
    this.#restTimer = undefined;
    this.#isMaking = true;
    await this.#session.snapshots.run(() => this.#snapshot());
    this.#isMaking = false;
    this.#followUp();
  }

  get #behind(): number {
    return this.#recording.offset - this.#snapshotAt;
  }

  resize(cols: number, rows: number): void {
    this.#recording.resize(cols, rows);
  }

  reportsAfter(offset: number): readonly ReportFields[] {
    return this.#reports.filter((report) => report.offset > offset).map(({ fields }) => fields);
  }

  show({ state, waiting }: SessionRow): void {
    this.#recording.showState(state, waiting?.for ?? null);
  }

  async finish(): Promise<void> {
    this.#stop();
    this.#recording.end();
  }

  async letGo(): Promise<void> {
    this.#stop();
    this.#recording.close();
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#restTimer);
  }

  /** Acknowledges output that is recorded and drawn by a snapshot: the holder may drop it. */
  async #snapshot(): Promise<void> {
    const { log, holder, folder } = this.#session;
    try {
      const status = await holder.status();
      if (!status || this.#isOver) return;
      this.#recording.sync();
      const { cols, rows } = status;
      const { screen, offset } = await readScreen(folder, { cols, rows }, { upTo: this.#recording.offset });
      await writeSnapshot(folder, { offset, bytes: screen.snapshot(), size: { cols, rows } });
      this.#snapshotAt = offset;
      holder.connection?.acknowledge("out", offset);
    } catch (error) {
      log.warn({ session: this.#session.id, err: error }, "could not take a snapshot of the screen");
    }
  }
}
