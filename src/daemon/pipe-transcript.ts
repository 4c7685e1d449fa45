import type { Seen } from "../agents/agent.ts";
import type { NewEntry } from "../domain/entry.ts";
import { plainText } from "../domain/plain-text.ts";
import type { Redactor } from "../domain/redact.ts";
import { RedactingStream } from "../domain/redact-stream.ts";
import type { Stream } from "../host/holder-message.ts";

/** A line, or so much of a longer one, with the offset in the stream behind it. */
export interface Piece {
  readonly text: string;
  readonly offset: number;
}

/** An agent's line may hold a whole tool result; beyond this it is taken in pieces. */
const LONGEST_LINE = 16 * 1024 * 1024;
const LINE_END = 0x0a;

/** Cuts the bytes of a pipe into lines, each with its place. */
export class PipeLines {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  /** Where the first byte belongs that is in no line yet. */
  get offset(): number {
    return this.#offset;
  }

  /** Where the next byte belongs. */
  get received(): number {
    return this.#offset + this.#restBytes;
  }

  push(bytes: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, from)) {
      pieces.push(this.#take(bytes.subarray(from, at + 1)));
      from = at + 1;
    }
    // Copied, for whoever gave it may use the room again.
    if (from < bytes.length) this.#keep(Buffer.from(bytes.subarray(from)));
    return this.#restBytes > LONGEST_LINE ? [...pieces, ...this.end()] : pieces;
  }

  /** What came without a line end. */
  end(): Piece[] {
    return this.#restBytes === 0 ? [] : [this.#take(Buffer.alloc(0))];
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
  }

  #take(last: Buffer): Piece {
    const whole = this.#rest.length === 0 ? last : Buffer.concat([...this.#rest, last]);
    this.#rest = [];
    this.#restBytes = 0;
    this.#offset += whole.length;
    return { text: whole.toString("utf8"), offset: this.#offset };
  }
}

/** Plain output as entries: lines that come together are one. */
export class OutputEntries {
  readonly #redacting: RedactingStream;
  readonly #said: Pick<NewEntry, "role" | "kind" | "name">;

  /** `isSpoken`: what a plain command writes is what it says; an agent that speaks a protocol only logs beside it. */
  constructor(stream: Stream, redactor: Redactor, isSpoken = true) {
    const said = isSpoken
      ? ({ role: "assistant", kind: "text" } as const)
      : ({ role: "system", kind: "notice" } as const);
    this.#said = stream === "err" ? { ...said, name: "stderr" } : said;
    this.#redacting = new RedactingStream(redactor);
  }

  /** With the bytes that are held back, for they may become a secret in the next line; none when the output is over. */
  entriesOf(
    pieces: readonly Piece[],
    isOver: boolean,
  ): { readonly entries: NonNullable<Seen["entries"]>; readonly heldBytes: number } {
    const raw = pieces.map(({ text }) => text).join("");
    const text = plainText(this.#redacting.push(raw) + (isOver ? this.#redacting.end() : ""));
    const entry: NewEntry = { ...this.#said, text, tool: null };
    return { entries: text === "" ? [] : [entry], heldBytes: Buffer.byteLength(this.#redacting.held) };
  }
}
