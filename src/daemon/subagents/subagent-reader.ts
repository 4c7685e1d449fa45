import { basename } from "node:path";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { Subagents } from "../../agents/subagents.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import { resultOfOutcome } from "../../domain/session/turn.ts";
import { decideSubagent, type SubagentObservation } from "../../domain/supervise/decide-subagent.ts";
import { decideParsed, type ParsedPiece } from "../../history/decide-parsed.ts";
import { lineKey } from "../../history/line-key.ts";
import { TranscriptTurns } from "../../history/transcript-turns.ts";
import { nowOf, stamp } from "../../record/context.ts";
import type { Services } from "../services.ts";
import type { Piece } from "../sources/line-splitter.ts";
import { TranscriptCursor } from "../sources/transcript-cursor.ts";
import type { Tail, TailReader } from "../tails/tail.ts";
import { ActivityNote } from "./activity-note.ts";

export interface ReaderPorts extends Pick<Services, "context" | "pricing" | "observations" | "log"> {
  /** Takes the secrets of the parent's launch out, too. */
  redact<T>(value: T): T;
}

interface Given {
  readonly id: string;
  readonly path: string;
  readonly facts: Subagents;
  readonly tail: (reader: TailReader) => Tail;
}

/** Reads the transcript of one sub-agent into its record: each line once, whoever comes back. */
export class SubagentReader {
  readonly id: string;
  readonly #ports: ReaderPorts;
  readonly #facts: Subagents;
  readonly #tail: Tail;
  readonly #cursor: TranscriptCursor;
  readonly #turns: TranscriptTurns;
  readonly #activity: ActivityNote;
  readonly #key: string;
  #memory: Memory;
  #isCaughtUp = false;
  /** The file as it was when it was last read. */
  #readAs: string | undefined;

  constructor(ports: ReaderPorts, { id, path, facts, tail }: Given) {
    this.#ports = ports;
    this.id = id;
    this.#facts = facts;
    this.#memory = facts.memory;
    this.#key = `${id}-${basename(path)}`;
    this.#turns = new TranscriptTurns(this.#key);
    this.#activity = new ActivityNote(ports, id);
    this.#tail = tail({
      from: async () => this.#restore(),
      line: async (piece) => this.#line(piece),
      caughtUp: async () => this.#caughtUp(),
      failed: (error) => {
        this.#readAs = undefined;
        ports.log.warn({ session: id, err: error }, "could not read the transcript of a sub-agent");
      },
    });
    this.#cursor = new TranscriptCursor({ id, context: ports.context }, path, this.#tail.identity);
  }

  get path(): string {
    return this.#tail.path;
  }

  stop(): void {
    this.#tail.stop();
    this.#activity.stop();
  }

  get isTurnOpen(): boolean {
    return this.#turns.count.isOpen;
  }

  /** Reads everything that is in its transcript by now; false where nothing has come. */
  async catchUp(): Promise<boolean> {
    const isAs = this.#tail.stamp;
    if (isAs === this.#readAs) return false;
    this.#readAs = isAs;
    await this.#tail.catchUp();
    return true;
  }

  /** Its agent says that it is done, though its transcript may not say so. */
  async finish(): Promise<void> {
    const row = await this.#ports.context.store.findRow(this.id);
    const outcome = row?.turn?.outcome ?? null;
    await this.#observe({ saw: "over", result: outcome === null ? null : resultOfOutcome(outcome) });
  }

  async take(parsed: Parsed, key: string, cursors: readonly ReadCursor[] = []): Promise<void> {
    const { at, memory, identity, turn } = parsed;
    const {
      entries = [],
      usage = [],
      unknown,
    } = this.#ports.redact({
      ...{ entries: parsed.entries, usage: parsed.usage, unknown: parsed.unknown },
    });
    if (memory) this.#memory = { ...this.#memory, ...memory } as Memory;
    const marks = turn ? this.#turns.mark(turn) : [];
    const isEmpty = entries.length + usage.length + marks.length === 0;
    if (identity === undefined && unknown === undefined && isEmpty) return;
    if (turn?.isBegun) await this.#begin(marks.at(-1)?.id ?? "");
    const { context, pricing } = this.#ports;
    const piece: ParsedPiece = {
      ...{ at, identity, entries, usage, unknown, key, cursors, now: nowOf(context) },
      price: usage.length === 0 ? undefined : await pricing.now(),
      stamp: (body, when) => ({ ...stamp(context, body, when), channel: null }),
      turns: turn?.isBegun ? { before: marks, after: [] } : { before: [], after: marks },
    };
    const { events } = await context.store.change(this.id, (row) => (row ? decideParsed(row, piece) : []));
    this.#activity.addEntries(entries, at);
    const isNewEnd = turn?.over !== undefined && events.some(({ body }) => body.kind === "turn_ended");
    if (isNewEnd && !turn?.isBegun) await this.#observe({ saw: "over", result: turn?.over?.result ?? null });
  }

  async #line({ text, offset }: Piece): Promise<void> {
    const cursors = this.#isCaughtUp ? this.#cursor.before(this.#remembered()) : [];
    const parsed = this.#facts.parse(text, this.#memory);
    await this.take(parsed, `${this.#key}-${lineKey(offset, parsed.at)}`, cursors);
    this.#cursor.passed(offset);
  }

  /** A turn that was read before begins nothing. */
  async #begin(eventId: string): Promise<void> {
    const isKnown = (await this.#ports.context.store.findEvent(eventId)) !== undefined;
    if (!isKnown) await this.#observe({ saw: "began" });
  }

  /**
   * Goes on where an earlier daemon stopped, with what the parser and the count of turns remembered there, or begins
   * anew in a file that was replaced.
   */
  async #restore(): Promise<number> {
    this.#memory = this.#facts.memory;
    this.#turns.restore({ number: 0, isOpen: false });
    this.#isCaughtUp = false;
    const { from, memory: kept } = await this.#cursor.restore();
    if (!isJsonObject(kept)) return from;
    const { memory, number, isOpen } = kept;
    if (isJsonObject(memory)) this.#memory = { ...this.#memory, ...memory };
    if (typeof number === "number") this.#turns.restore({ number, isOpen: isOpen === true });
    return from;
  }

  #remembered(): JsonObject {
    return { memory: this.#memory, ...this.#turns.count };
  }

  /** A daemon that was killed between the end of a turn and what follows from it left the rest to this one. */
  async #caughtUp(): Promise<void> {
    this.#isCaughtUp = true;
    const { number, isOpen } = this.#turns.count;
    if (number > 0 && !isOpen) await this.finish();
    if (isOpen) await this.#observe({ saw: "at_work" });
    await this.#cursor.keep(this.#remembered());
  }

  async #observe(observation: SubagentObservation): Promise<void> {
    const { context } = this.#ports;
    await context.store.change(this.id, (row) =>
      row ? decideSubagent(row, observation).map((body) => ({ ...stamp(context, body), channel: null })) : [],
    );
  }
}
