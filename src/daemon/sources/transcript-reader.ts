import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Parsed } from "../../agents/parsed.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { lineKey } from "../../history/line-key.ts";
import { VisibleTurns } from "../../history/visible-turns.ts";
import type { Context } from "../../record/context.ts";
import type { Facts, IntakePort, Logs, Loop, MemoryPort, WallClock } from "../session/ports.ts";
import { FileTail } from "../tails/file-tail.ts";
import { writeAgentPaths } from "./agent-paths.ts";
import type { Piece } from "./line-splitter.ts";
import type { Source } from "./source.ts";
import { TranscriptCursor } from "./transcript-cursor.ts";
import { hasUserText, TranscriptSignals } from "./transcript-signals.ts";

/** An agent may write down what it said a moment after it has told that it is done. */
const TURN_MS = 1000;
const TURN_STEP_MS = 20;
const SEEN_LATE_MS = 2000;

interface Ports extends Facts, Logs, WallClock, Pick<Loop, "row">, IntakePort, MemoryPort {
  readonly context: Context;
}

/** One file that is followed. */
interface Reading {
  readonly path: string;
  readonly cursor: TranscriptCursor;
  readonly signals: TranscriptSignals;
}

/** Follows the file that an agent writes its transcript to: each line is parsed once, whoever comes back. */
export class TranscriptReader implements Source {
  readonly #session: Ports;
  readonly #isOffered: boolean;
  #tail: FileTail | undefined;
  #hasBeenSeen = false;
  #isStopped = false;
  /** When the last turn was over whose end was read. */
  #endedMs = 0;
  /** Nothing was said by the user since that end. */
  #isBetweenTurns = false;
  readonly #visible = new VisibleTurns();

  constructor(session: Ports) {
    this.#session = session;
    const { mode, agentPaths } = session.carrying;
    this.#isOffered = mode.sources.transcript !== undefined;
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

  /** After a turn there was a file; before the first one its absence says nothing. */
  begin({ turns }: SessionRow): void {
    if (this.#isStopped) return;
    this.#hasBeenSeen = this.#tail !== undefined && turns > 0;
    this.#tail?.begin();
  }

  /** The agent writes another file from now on; what it wrote before is read to its end. */
  follow(path: string): void {
    if (!this.#isOffered || path === this.path || this.#isStopped) return;
    const before = this.#tail;
    void before?.catchUp().then(() => before.stop());
    this.#tail = this.#tailOf(path);
    this.#hasBeenSeen = false;
    const { folder, carrying } = this.#session;
    writeAgentPaths(folder, { ...carrying.agentPaths, transcript: path });
    this.#tail.begin();
  }

  stop(): void {
    this.#isStopped = true;
    this.#tail?.stop();
  }

  async catchUp(): Promise<void> {
    await this.#tail?.catchUp();
  }

  /**
   * Everything that is in the file up to the end of the turn; where that does not come, what is there by then. False
   * where the end of the turn was to come and did not. An agent whose transcript ends no turns is not waited for.
   */
  async readTurn(withinMs: number = TURN_MS): Promise<boolean> {
    await this.catchUp();
    const beganMs = await this.#turnBeganMs();
    const isToCome = () =>
      (this.path !== null || this.#isNameless) && this.#endedMs < beganMs && !this.#isStopped;
    if (!this.#session.carrying.mode.capabilities.endsTurnsInTranscript) return true;
    const lastMs = performance.now() + withinMs;
    while (isToCome() && performance.now() < lastMs) {
      await sleep(TURN_STEP_MS);
      await this.catchUp();
    }
    return !isToCome();
  }

  #tailOf(path: string): FileTail {
    const { log, id } = this.#session;
    const cursor = new TranscriptCursor(this.#session, path);
    const reading: Reading = { path, cursor, signals: new TranscriptSignals() };
    return new FileTail(path, {
      from: async () => this.#restore(reading),
      line: async (piece) => {
        await this.#parse(reading, piece);
        cursor.passed(piece.offset);
      },
      caughtUp: async () => this.#caughtUp(reading),
      failed: (error) => log.warn({ session: id, err: error }, "could not read the transcript"),
    });
  }

  /** Goes on where an earlier daemon stopped, or begins anew in a file that was replaced. */
  async #restore({ cursor, signals }: Reading): Promise<number> {
    signals.begin();
    const { from, memory } = await cursor.restore();
    const { endedMs, isBetweenTurns, visible } = isJsonObject(memory) ? memory : {};
    // Another file of the same conversation goes on with what is visible of it.
    if (visible !== undefined) this.#visible.restore(visible);
    if (typeof endedMs === "number") this.#endedMs = endedMs;
    this.#isBetweenTurns = isBetweenTurns === true;
    return from;
  }

  /** Kept with the cursor; what the parsers remember is in the folder of the launch. */
  #remembered(): JsonObject {
    const { kept: visible } = this.#visible;
    return { endedMs: this.#endedMs, isBetweenTurns: this.#isBetweenTurns, visible };
  }

  async #parse(reading: Reading, { text, offset }: Piece): Promise<void> {
    const { carrying, intake, id, memory } = this.#session;
    const cursors = reading.signals.isCaughtUp ? reading.cursor.before(this.#remembered()) : [];
    const parsed = this.#ofThisLaunch(carrying.mode.sources.transcript?.parse(text, memory.all) ?? {});
    const isUserText = hasUserText(parsed);
    // The rewind is told before the agent says that the turn before is over.
    const opensTurn = this.#isBetweenTurns && isUserText;
    if (isUserText) this.#isBetweenTurns = false;
    if (parsed.isTurnRead) this.#readEnd(parsed);
    // A resumed conversation goes on in the same file.
    const key = lineKey(offset, parsed.at);
    const of = `${id}-${basename(reading.path)}`;
    const place = { key, of, opensTurn, cursors, ...this.#follow(parsed, of, key) };
    await intake.take(reading.signals.filter(parsed), place);
  }

  /** The part of the conversation that a line takes back. */
  #follow({ rewinds = 0, entries = [], turn }: Parsed, of: string, key: string): { rewoundSince?: string } {
    const rewoundSince = this.#visible.rewind(rewinds);
    this.#visible.pass(of, key, {
      begins: turn?.isBegun === true,
      speaks: entries.length > 0,
    });
    return rewoundSince === undefined ? {} : { rewoundSince };
  }

  #readEnd({ at }: Parsed): void {
    this.#endedMs = at === undefined ? this.#session.now() : Date.parse(at);
    this.#isBetweenTurns = true;
  }

  /** A turn that the agent began by itself was seen a moment after it began. */
  async #turnBeganMs(): Promise<number> {
    const turn = (await this.#session.row())?.turn ?? null;
    if (turn?.givenAt) return Date.parse(turn.givenAt);
    const seenMs = turn === null ? this.#session.now() : Date.parse(turn.beganAt);
    return seenMs - SEEN_LATE_MS;
  }

  /** A piece from before the launch is known already, or belongs to the session that this one was copied from. */
  #ofThisLaunch(parsed: Parsed): Parsed {
    const { launch, generation } = this.#session.carrying;
    if (parsed.at === undefined || parsed.at >= launch.at) return parsed;
    if (generation === 1) return {};
    const { signal: _, ...rest } = parsed;
    return rest;
  }

  async #caughtUp({ signals, cursor }: Reading): Promise<void> {
    await signals.catchUp(async (signal) => this.#session.intake.signal(signal));
    await cursor.keep(this.#remembered());
  }
}
