import { setTimeout as sleep } from "node:timers/promises";
import type { Memory } from "../../agents/parsed.ts";
import type { TerminalSource } from "../../agents/sources.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { HolderConnection } from "../../host/holder.ts";
import { findHolderFile, type HolderFile, spoolSegments } from "../../host/holder-files.ts";
import { type HolderMessage, type HolderStatus, type Report, STREAMS } from "../../host/holder-message.ts";
import { hostOf } from "../../host/host.ts";
import { faultPoint } from "../fault-point.ts";
import type { OutputSlices } from "../intake/output-slices.ts";
import { takeUnheard } from "../intake/unheard.ts";
import type { Leftovers } from "../session/leftovers.ts";
import type { LiveFactsWriter } from "../session/live-facts-writer.ts";
import type {
  DeliveryPort,
  Facts,
  HolderPort,
  IntakePort,
  Logs,
  Loop,
  MemoryPort,
  ScreenPort,
  SourcesPort,
  WallClock,
} from "../session/ports.ts";
import { HolderLink } from "./holder-link.ts";
import type { Output } from "./output.ts";
import { PipeOutput } from "./pipe-output.ts";
import { TerminalOutput, type TerminalPorts } from "./terminal-output.ts";

const LEAVING_MS = 1000;
/** As much as a holder gives at once. */
const PIECE_BYTES = 64 * 1024;

interface Ports
  extends Facts,
    Logs,
    WallClock,
    Loop,
    IntakePort,
    MemoryPort,
    ScreenPort,
    SourcesPort,
    HolderPort,
    DeliveryPort,
    TerminalPorts {
  readonly slices: OutputSlices;
  readonly leftovers: Pick<Leftovers, "of">;
  readonly liveFacts: LiveFactsWriter;
  readonly pausing: { /** The holder says that the tree is stopped. */ holds(): Promise<void> };
  /** The session did something: its processes may have changed. */
  lookAtTree(): void;
}

/** Follows the holder of one session: its output is kept, its words become observations. */
export class Follower {
  readonly #session: Ports;
  #link: HolderLink | undefined;
  /** Someone may delete the folder under a session that lives on. */
  #file: HolderFile | undefined;
  #output: Output | undefined;
  #following: Promise<void> | undefined;
  #isLeaving = false;
  #hasSeenEnd = false;
  readonly #connected = Promise.withResolvers<void>();
  /** The offset in the output of the last report that the holder told. */
  #heardTo = 0;

  constructor(session: Ports) {
    this.#session = session;
  }

  /** Undefined while no holder is known, and after it has left. */
  get connection(): HolderConnection | undefined {
    return this.#link?.isOpen ? this.#link.connection : undefined;
  }

  /** Resolves once there is a connection, or none can come any more. */
  async reachable(): Promise<void> {
    if (!this.connection && !this.#isLeaving) await this.#connected.promise;
  }

  async status(): Promise<HolderStatus | undefined> {
    return this.#link?.status();
  }

  /** Takes in the agent's last report once more. */
  async refresh(): Promise<void> {
    const status = await this.status();
    if (status) await this.#believe(status);
  }

  get #terminal(): TerminalSource<Memory> | undefined {
    return this.#session.carrying.mode.sources.terminal;
  }

  /** Connects to the living holder; a holder that cannot be reached is looked for again. */
  async begin(): Promise<void> {
    if (this.#link?.isOpen) return;
    const { folder, slices } = this.#session;
    const row = await this.#session.row();
    if (!row?.carried) return;
    this.#output ??= this.#makeOutput(row.carried.consumed);
    const { out, err } = this.#output.from;
    try {
      this.#link = await HolderLink.open(folder, { from: out, errFrom: err }, slices);
    } catch {
      this.#session.look(200);
      return;
    }
    this.#connected.resolve();
    // Its first one is believed, on every connection.
    this.#statuses = 0;
    this.#noteProcess();
    this.#following = this.#follow(this.#link);
  }

  /** Takes in the output that a holder left behind that is gone or about to leave; nothing is taken in twice. */
  async readRest(): Promise<void> {
    const { folder } = this.#session;
    const row = await this.#session.row();
    if (!row?.carried) return;
    this.#output ??= this.#makeOutput(row.carried.consumed);
    for (const stream of STREAMS)
      for (const { low, bytes } of spoolSegments(folder, stream, this.#output.from[stream]))
        for (let at = Math.max(0, this.#output.from[stream] - low); at < bytes.length; at += PIECE_BYTES)
          await this.#output.take({
            ...{ type: "output", stream, offset: low + at },
            bytes: bytes.subarray(at, at + PIECE_BYTES),
          });
    await this.#output.finish();
    await this.#session.sources.readRest();
    await takeUnheard(this.#session, this.#terminal, this.#output.reportsAfter?.(this.#heardTo) ?? []);
  }

  /** The record says something else of it. */
  show(row: SessionRow): void {
    this.#output?.show?.(row);
  }

  async finish(): Promise<void> {
    this.#connected.resolve();
    await this.#link?.close();
    try {
      await this.#output?.finish();
    } finally {
      await this.#session.liveFacts.finish();
    }
  }

  async letGo(): Promise<void> {
    this.#isLeaving = true;
    this.#connected.resolve();
    await this.#session.liveFacts.letGo();
    // A holder that someone stopped takes no word, not even a good-bye.
    await Promise.race([this.#disconnect(), sleep(LEAVING_MS, undefined, { ref: false })]);
    await this.#output?.letGo();
  }

  async #disconnect(): Promise<void> {
    await this.#link?.close();
    await this.#following;
  }

  #makeOutput(consumed: { readonly out: number; readonly err: number }): Output {
    const { hasScreen } = hostOf(this.#session.carrying.launch.host);
    return hasScreen ? new TerminalOutput(this.#session) : new PipeOutput(this.#session, consumed);
  }

  /** The daemon that started it may have died before it could write the process down. Said again, it changes nothing. */
  #noteProcess(): void {
    const file = findHolderFile(this.#session.folder);
    if (!file) return;
    this.#file = file;
    const process = { ...file.agent, bootId: file.bootId };
    const { isReadyAtExec } = this.#session.carrying.mode.capabilities;
    // Not awaited: this may be called from within the queue of observations.
    void this.#session.observe({ saw: "launched", process, isReady: isReadyAtExec });
  }

  async #follow(link: HolderLink): Promise<void> {
    const { log } = this.#session;
    try {
      await link.follow((message) => this.#take(message));
    } catch (error) {
      log.error({ session: this.#session.id, err: error }, "invalid message from holder");
      await link.close();
    }
    if (this.#isLeaving || this.#hasSeenEnd) return;
    await this.#session.observe({ saw: "holder_gone" }).catch(() => this.#session.look(5000));
  }

  async #take(message: HolderMessage): Promise<void> {
    switch (message.type) {
      case "output":
        this.#session.liveFacts.sawOutput();
        this.#session.screen.changed();
        this.#session.lookAtTree();
        return this.#output?.take(message);
      case "status":
        return this.#sawStatus(message);
      case "report":
        this.#heardTo = message.offset;
        // A report means what it does after all that was written before it.
        await this.#session.sources.catchUp();
        return this.#session.intake.parsed(
          (memory) => this.#terminal?.report?.(message.fields, memory) ?? {},
        );
      case "title":
        return this.#session.intake.parsed((memory) => this.#terminal?.title?.(message.title, memory) ?? {});
      case "exit":
        return this.#sawExit(message.exit);
      case "tree":
        return this.#sawExit(message.exit);
      case "resized":
        return this.#output?.resize?.(message.cols, message.rows);
      case "paused":
        // Not awaited: it is stopped again behind this very message.
        if (message.paused) void this.#session.pausing.holds();
        return;
      case "attached":
      case "detached":
      case "typist":
        this.#link?.connection.askStatus();
        return;
      default:
        return;
    }
  }

  #statuses = 0;

  async #sawStatus(status: HolderStatus): Promise<void> {
    await this.#session.liveFacts.write(status.typist !== null);
    this.#output?.resize?.(status.cols, status.rows);
    this.#statuses += 1;
    if (this.#statuses > 1) return;
    await this.#believe(status);
    // An empty tree is told once more, behind all output.
    if (status.exit && status.exit.tree.state !== "empty") await this.#sawExit(status.exit);
  }

  async #believe({ reports, title }: HolderStatus): Promise<void> {
    const { intake } = this.#session;
    if (reports.main) await this.#believeReport(reports.main);
    if (title !== null) await intake.parsed((memory) => this.#terminal?.title?.(title, memory) ?? {});
  }

  /** A last word that says nothing of its state, as when it leaves, does not stand for those before it. */
  async #believeReport({ fields, offset }: Report): Promise<void> {
    const { memory, intake } = this.#session;
    const parsed = this.#terminal?.report?.(fields, memory.all) ?? {};
    if (parsed.signal) this.#heardTo = Math.max(this.#heardTo, offset);
    await intake.take(parsed);
  }

  async #sawExit(exit: NonNullable<HolderStatus["exit"]>): Promise<void> {
    const { mode, launch } = this.#session.carrying;
    const { leftovers } = this.#session;
    const isDone = exit.tree.state === "empty" || exit.tree.state === "kept";
    if (isDone) {
      faultPoint("end.empty");
      // Its last output is in the record before its end is.
      await this.#output?.finish();
      await this.#session.sources.readRest();
      await takeUnheard(this.#session, this.#terminal, this.#output?.reportsAfter?.(this.#heardTo) ?? []);
    }
    const { folder } = this.#session;
    const left = exit.tree.state === "empty" ? await leftovers.of(launch.marker, folder, this.#file) : [];
    const { tellsTurns } = mode.capabilities;
    await this.#session.observe({ saw: "exit", exit, leftovers: left, tellsTurns });
    // Only then: an end that could not be recorded is looked for again.
    this.#hasSeenEnd ||= isDone;
  }
}
