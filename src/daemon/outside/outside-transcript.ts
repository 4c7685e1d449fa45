import { basename } from "node:path";
import type { Agent, Outside } from "../../agents/agent.ts";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import type { TurnEvent } from "../../history/decide-parsed.ts";
import { lineKey } from "../../history/line-key.ts";
import { TranscriptTurns } from "../../history/transcript-turns.ts";
import { VisibleTurns } from "../../history/visible-turns.ts";
import type { Services } from "../services.ts";
import type { Piece } from "../sources/line-splitter.ts";
import { TranscriptCursor } from "../sources/transcript-cursor.ts";
import { TranscriptSignals } from "../sources/transcript-signals.ts";
import { FileTail } from "../tails/file-tail.ts";
import { RecordTail } from "../tails/record-tail.ts";
import type { Tail, TailReader } from "../tails/tail.ts";

/** The place of a line: one that is read twice is added once. */
export interface LinePlace {
  readonly key?: string;
  readonly cursors?: readonly ReadCursor[];
  readonly turns?: TranscriptTurns;
  readonly rewoundSince?: string;
}

interface Ports {
  readonly id: string;
  readonly agent: Pick<Agent, "outside" | "history">;
  readonly services: Pick<Services, "context" | "log">;
  take(parsed: Parsed, place: LinePlace): Promise<void>;
}

/** One transcript of a session outside, with all that is remembered of this file and of no other. */
export class OutsideTranscript {
  readonly path: string;
  readonly #ports: Ports;
  readonly #key: string;
  readonly #cursor: TranscriptCursor;
  readonly #turns: TranscriptTurns;
  readonly #visible = new VisibleTurns();
  readonly #signals = new TranscriptSignals();
  readonly #facts: Outside | undefined;
  readonly #tail: Tail;
  #memory: Memory;
  /** Facts of the file that an import left with its cursor, for the next import. */
  #kept: JsonObject = {};

  constructor(path: string, ports: Ports) {
    const { id, services } = ports;
    this.path = path;
    this.#ports = ports;
    this.#facts = ports.agent.outside;
    this.#key = `${id}-${basename(path)}`;
    this.#memory = this.#firstMemory();
    this.#turns = new TranscriptTurns(this.#key);
    this.#tail = tailOf(path, ports.agent, {
      from: async () => this.#restore(),
      line: async (piece) => this.#takeLine(piece),
      caughtUp: async () => this.#caughtUp(),
      failed: (error) => services.log.warn({ session: id, err: error }, "could not read the transcript"),
    });
    this.#cursor = new TranscriptCursor({ id, context: services.context }, path, this.#tail.identity);
  }

  begin(): void {
    this.#tail.begin();
  }

  async catchUp(): Promise<void> {
    await this.#tail.catchUp();
  }

  stop(): void {
    this.#tail.stop();
  }

  /** The end of the open turn, of a session that shows itself to be at its prompt. */
  turnAtRest(): readonly TurnEvent[] {
    const over = this.#facts?.turnAtRest?.(this.#memory);
    return over ? this.#turns.end(over) : [];
  }

  #firstMemory(): Memory {
    return { ...this.#facts?.memory } as Memory;
  }

  /**
   * Goes on where an earlier daemon stopped, with what the parser and the count of turns remembered there, or begins
   * anew in a file that was replaced.
   */
  async #restore(): Promise<number> {
    this.#memory = this.#firstMemory();
    this.#turns.restore({ number: 0, isOpen: false });
    this.#visible.restore({});
    this.#signals.begin();
    const { from, memory: kept } = await this.#cursor.restore();
    if (!isJsonObject(kept)) return from;
    const { memory, number, isOpen, visible, outcome: _, lastAt: __, ...rest } = kept;
    this.#kept = rest;
    this.#visible.restore(visible);
    if (isJsonObject(memory)) this.#memory = { ...this.#memory, ...memory };
    if (typeof number === "number") this.#turns.restore({ number, isOpen: isOpen === true });
    return from;
  }

  #remembered(): JsonObject {
    return { ...this.#kept, memory: this.#memory, ...this.#turns.count, visible: this.#visible.kept };
  }

  async #takeLine({ text, offset }: Piece): Promise<void> {
    const parsed = this.#facts?.sources.transcript?.parse(text, this.#memory) ?? {};
    const cursors = this.#signals.isCaughtUp ? this.#cursor.before(this.#remembered()) : [];
    if (parsed.memory) this.#memory = { ...this.#memory, ...parsed.memory } as Memory;
    const line = lineKey(offset, parsed.at);
    const key = `${this.#key}-${line}`;
    const place = { key, cursors, turns: this.#turns, ...this.#follow(parsed, line) };
    await this.#ports.take(this.#signals.filter(parsed), place);
    this.#cursor.passed(offset);
  }

  /** The part of the conversation that a line takes back. */
  #follow({ rewinds = 0, entries = [], turn, child }: Parsed, line: string): Pick<LinePlace, "rewoundSince"> {
    const rewoundSince = this.#visible.rewind(rewinds);
    const speaks = entries.length > 0 && child === undefined;
    this.#visible.pass(this.#key, line, { begins: turn?.isBegun === true, speaks });
    return rewoundSince === undefined ? {} : { rewoundSince };
  }

  async #caughtUp(): Promise<void> {
    await this.#signals.catchUp(async (signal) => this.#ports.take({ signal }, {}));
    await this.#cursor.keep(this.#remembered());
  }
}

function tailOf(path: string, { outside, history }: Ports["agent"], reader: TailReader): Tail {
  return outside?.rows && history ? new RecordTail(path, history, reader) : new FileTail(path, reader);
}
