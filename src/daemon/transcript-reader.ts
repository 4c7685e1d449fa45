import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seen } from "../agents/agent.ts";
import type { Signal } from "../domain/signal.ts";
import { FileTail } from "./file-tail.ts";
import type { LiveSession } from "./live-session.ts";
import type { Piece } from "./pipe-transcript.ts";
import { writeWhereabouts } from "./whereabouts.ts";

/** An agent may write down what it said a moment after it has told that it is done. */
const TURN_MS = 1000;
const TURN_STEP_MS = 20;

/** Follows the file that an agent writes its transcript to: each line is parsed once, whoever comes back. */
export class TranscriptReader {
  readonly #session: LiveSession;
  readonly #isOffered: boolean;
  #tail: FileTail | undefined;
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
    if (this.#isOffered && whereabouts.transcript !== null) this.#tail = this.#tailOf(whereabouts.transcript);
  }

  /** `none` where this agent has no file of its own. */
  get status(): "none" | "not_yet" | "there" | "lost" {
    if (this.#tail?.isThere) return "there";
    if (this.#hasBeenSeen || this.#tail?.hasBeenSeen) return "lost";
    return this.#tail || this.#isNameless ? "not_yet" : "none";
  }

  get path(): string | null {
    return this.#tail?.path ?? null;
  }

  /** It will have one, and names it itself. */
  get #isNameless(): boolean {
    return this.#isOffered && this.#session.carrying.whereabouts.transcripts !== null;
  }

  begin(hasBeenSeen: boolean): void {
    if (this.#isStopped) return;
    this.#hasBeenSeen = this.#tail !== undefined && hasBeenSeen;
    this.#tail?.begin();
  }

  /** The agent writes another file from now on; what it wrote before is read to its end. */
  follow(path: string): void {
    if (!this.#isOffered || path === this.path || this.#isStopped) return;
    const before = this.#tail;
    void before?.readRest().then(() => before.stop());
    this.#tail = this.#tailOf(path);
    this.#isCaughtUp = false;
    this.#hasBeenSeen = false;
    const { folder, carrying } = this.#session;
    writeWhereabouts(folder, { ...carrying.whereabouts, transcript: path });
    this.#tail.begin();
  }

  stop(): void {
    this.#isStopped = true;
    this.#tail?.stop();
  }

  /** Everything that is in the file now. */
  async readRest(): Promise<void> {
    await this.#tail?.readRest();
  }

  /** A turn has begun, and its end is not in the file yet. */
  beginTurn(): void {
    this.#isTurnRead = false;
  }

  /** Everything that is in the file up to the end of the turn; where that does not come, what is there by then. */
  async readTurn(): Promise<void> {
    await this.readRest();
    const isToCome = () => this.path !== null && !this.#isTurnRead && !this.#isStopped;
    for (let ms = 0; isToCome() && ms < TURN_MS; ms += TURN_STEP_MS) {
      await sleep(TURN_STEP_MS);
      await this.readRest();
    }
  }

  #tailOf(path: string): FileTail {
    const { services, id } = this.#session;
    return new FileTail(path, {
      line: async (piece) => this.#take(path, piece),
      caughtUp: async () => this.#catchUp(),
      failed: (error) => services.log.warn({ session: id, err: error }, "could not read the transcript"),
    });
  }

  async #take(path: string, { text, offset }: Piece): Promise<void> {
    const { carrying, findings, id, notes } = this.#session;
    const seen = this.#ofThisLaunch(carrying.agent.observe.transcript?.(text, notes.all) ?? {});
    const { signal, ...rest } = seen;
    this.#isTurnRead ||= seen.isTurnRead === true;
    // A resumed conversation goes on in the same file.
    const place = { key: `transcript-${offset}`, of: `${id}-${basename(path)}` };
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
    this.#isCaughtUp = true;
    const signal = this.#lastSignal;
    this.#lastSignal = undefined;
    if (signal) await this.#session.findings.signal(signal);
  }
}
