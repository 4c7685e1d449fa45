import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seen } from "../../agents/agent.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { LiveSession } from "../session/live-session.ts";
import { writeAgentPaths } from "./agent-paths.ts";
import { FileTail } from "./file-tail.ts";
import type { Piece } from "./line-splitter.ts";

/** An agent may write down what it said a moment after it has told that it is done. */
const TURN_MS = 1000;
const TURN_STEP_MS = 20;
const SEEN_LATE_MS = 2000;

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
  /** When the last turn was over whose end was read. */
  #endedMs = 0;
  /** Nothing was said by the user since that end. */
  #isBetweenTurns = false;

  constructor(session: LiveSession) {
    this.#session = session;
    const { agent, agentPaths } = session.carrying;
    this.#isOffered = agent.observe.transcript !== undefined;
    if (this.#isOffered && agentPaths.transcript !== null) this.#tail = this.#tailOf(agentPaths.transcript);
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
    return this.#isOffered && this.#session.carrying.agentPaths.transcripts !== null;
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
    writeAgentPaths(folder, { ...carrying.agentPaths, transcript: path });
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

  /**
   * Everything that is in the file up to the end of the turn; where that does not come, what is there by then. False
   * where the end of the turn was to come and did not. An agent whose transcript ends no turns is not waited for.
   */
  async readTurn(withinMs: number = TURN_MS): Promise<boolean> {
    await this.readRest();
    const beganMs = await this.#turnBeganMs();
    const isToCome = () =>
      (this.path !== null || this.#isNameless) && this.#endedMs < beganMs && !this.#isStopped;
    if (!this.#session.carrying.agent.capabilities.endsTurnsInTranscript(this.#session.carrying.kind))
      return true;
    const lastMs = performance.now() + withinMs;
    while (isToCome() && performance.now() < lastMs) {
      await sleep(TURN_STEP_MS);
      await this.readRest();
    }
    return !isToCome();
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
    const { carrying, intake, id, notes } = this.#session;
    const seen = this.#ofThisLaunch(carrying.agent.observe.transcript?.(text, notes.all) ?? {});
    const { signal, ...rest } = seen;
    const isUserText = seen.entries?.some(({ role, kind }) => role === "user" && kind === "text") === true;
    // Told here before the agent says that the turn before is over.
    const opensTurn = this.#isBetweenTurns && isUserText;
    if (isUserText) this.#isBetweenTurns = false;
    if (seen.isTurnRead) this.#readEnd(seen);
    // A resumed conversation goes on in the same file.
    const place = { key: `transcript-${offset}`, of: `${id}-${basename(path)}`, opensTurn };
    if (this.#isCaughtUp) return intake.take(seen, place);
    // A text begins something that the signals before it say nothing of.
    this.#lastSignal = signal ?? (isUserText ? undefined : this.#lastSignal);
    await intake.take(rest, place);
  }

  #readEnd({ at }: Seen): void {
    this.#endedMs = at === undefined ? this.#session.services.context.now() : Date.parse(at);
    this.#isBetweenTurns = true;
  }

  /** A turn that the agent began by itself was seen a moment after it began. */
  async #turnBeganMs(): Promise<number> {
    const turn = (await this.#session.row())?.turn ?? null;
    if (turn?.givenAt) return Date.parse(turn.givenAt);
    const seenMs = turn === null ? this.#session.services.context.now() : Date.parse(turn.beganAt);
    return seenMs - SEEN_LATE_MS;
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
    if (signal) await this.#session.intake.signal(signal);
  }
}
