import { closeSync, type FSWatcher, fstatSync, openSync, readSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seen } from "../agents/agent.ts";
import type { Signal } from "../domain/signal.ts";
import type { LiveSession } from "./live-session.ts";
import { type Piece, PipeLines } from "./pipe-transcript.ts";
import { writeWhereabouts } from "./whereabouts.ts";

const CHUNK = 256 * 1024;
/** In case the system does not tell of a change, and until the folder exists. */
const FALLBACK_MS = 2000;
/** An agent may write down what it said a moment after it has told that it is done. */
const TURN_MS = 1000;
const TURN_STEP_MS = 20;

/** Follows the file that an agent writes its transcript to: each line is parsed once, whoever comes back. */
export class TranscriptReader {
  readonly #session: LiveSession;
  readonly #isOffered: boolean;
  #path: string | null;
  #lines = new PipeLines(0);
  #read = 0;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #hasBeenSeen = false;
  #isStopped = false;
  /** What is in the file when it is first looked at was said before: only its last word counts. */
  #isCaughtUp = false;
  #lastSignal: Signal | undefined;
  #isTurnRead = false;

  constructor(session: LiveSession) {
    this.#session = session;
    const { agent, whereabouts } = session.carrying;
    this.#isOffered = agent.observe.transcript !== undefined;
    this.#path = this.#isOffered ? whereabouts.transcript : null;
  }

  /** `none` where this agent has no file of its own. */
  get status(): "none" | "not_yet" | "there" | "lost" {
    if (this.#path === null) return this.#isNameless ? "not_yet" : "none";
    if (statSync(this.#path, { throwIfNoEntry: false })) return "there";
    return this.#hasBeenSeen ? "lost" : "not_yet";
  }

  get path(): string | null {
    return this.#path;
  }

  /** It will have one, and names it itself. */
  get #isNameless(): boolean {
    return this.#isOffered && this.#session.carrying.whereabouts.transcripts !== null;
  }

  begin(hasBeenSeen: boolean): void {
    this.#hasBeenSeen = hasBeenSeen;
    if (this.#path === null || this.#isStopped || this.#watcher) return;
    this.#watch();
    void this.readRest();
  }

  /** The agent writes another file from now on; what it wrote before is read to its end. */
  follow(path: string): void {
    if (!this.#isOffered || path === this.#path || this.#isStopped) return;
    this.#reading = this.#readSafely().then(() => {
      this.#watcher?.close();
      this.#watcher = undefined;
      clearTimeout(this.#timer);
      this.#path = path;
      this.#lines = new PipeLines(0);
      this.#read = 0;
      this.#isCaughtUp = false;
      this.#hasBeenSeen = false;
      const { folder, carrying } = this.#session;
      writeWhereabouts(folder, { ...carrying.whereabouts, transcript: path });
      this.begin(false);
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  /** Everything that is in the file now. */
  async readRest(): Promise<void> {
    if (this.#path === null) return;
    this.#reading = this.#readSafely();
    await this.#reading;
  }

  /** A turn has begun, and its end is not in the file yet. */
  beginTurn(): void {
    this.#isTurnRead = false;
  }

  /** Everything that is in the file up to the end of the turn; where that does not come, what is there by then. */
  async readTurn(): Promise<void> {
    await this.readRest();
    const isToCome = () => this.#path !== null && !this.#isTurnRead && !this.#isStopped;
    for (let ms = 0; isToCome() && ms < TURN_MS; ms += TURN_STEP_MS) {
      await sleep(TURN_STEP_MS);
      await this.readRest();
    }
  }

  async #readSafely(): Promise<void> {
    const { services, id } = this.#session;
    return this.#reading
      .then(async () => this.#readOn())
      .catch((error: unknown) =>
        services.log.warn({ session: id, err: error }, "could not read the transcript"),
      );
  }

  #watch(): void {
    const path = this.#path as string;
    try {
      this.#watcher = watch(dirname(path), (_, name) => {
        if (name === null || name === basename(path)) void this.readRest();
      });
      this.#watcher.on("error", () => this.#watchLater());
    } catch {
      this.#watchLater();
    }
  }

  #watchLater(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#watch();
      void this.readRest();
    }, FALLBACK_MS);
  }

  async #readOn(): Promise<void> {
    if (this.#path === null) return;
    let fd: number;
    try {
      fd = openSync(this.#path, "r");
    } catch (error) {
      // Not yet, or no more: that says nothing about the session.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    try {
      this.#hasBeenSeen = true;
      const bytes = Buffer.allocUnsafe(CHUNK);
      while (this.#read < fstatSync(fd).size) {
        const count = readSync(fd, bytes, 0, CHUNK, this.#read);
        if (count === 0) break;
        this.#read += count;
        for (const piece of this.#lines.push(bytes.subarray(0, count))) await this.#take(piece);
      }
      await this.#catchUp();
    } finally {
      closeSync(fd);
    }
  }

  async #take({ text, offset }: Piece): Promise<void> {
    const { carrying, findings, id, notes } = this.#session;
    const seen = this.#ofThisLaunch(carrying.agent.observe.transcript?.(text, notes.all) ?? {});
    const { signal, ...rest } = seen;
    this.#isTurnRead ||= seen.isTurnRead === true;
    // A resumed conversation goes on in the same file.
    const place = { key: `transcript-${offset}`, of: `${id}-${basename(this.#path as string)}` };
    if (this.#isCaughtUp) return findings.take(seen, place);
    this.#lastSignal = signal ?? this.#lastSignal;
    await findings.take(rest, place);
  }

  /** What was said before the launch is known, or belongs to the session that this one was copied from. */
  #ofThisLaunch(seen: Seen): Seen {
    const { launch, generation } = this.#session.carrying;
    if (seen.at === undefined || seen.at >= launch.at) return seen;
    if (generation === 1) return {};
    const { signal: _, ...rest } = seen;
    return rest;
  }

  async #catchUp(): Promise<void> {
    if (this.#isCaughtUp) return;
    this.#isCaughtUp = true;
    const signal = this.#lastSignal;
    this.#lastSignal = undefined;
    if (signal) await this.#session.findings.signal(signal);
  }
}
