import type { Parsed } from "../../agents/parsed.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { Redactor } from "../../domain/redact/redact.ts";
import { RedactingStream } from "../../domain/redact/redact-stream.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import { incompleteTail } from "../../domain/utf8.ts";
import type { Stream } from "../../host/holder-message.ts";

/** A line, a block of whole lines, or so much of a longer line, with the offset in the stream behind it. */
export interface Piece {
  readonly text: string;
  readonly offset: number;
  /** Set where it is not a whole line: its beginning, or what follows. */
  readonly part?: "first" | "more";
}

/**
 * A longer line is cut into pieces. An agent's line may hold a whole tool result. The limit must stay below the spool
 * of the holder (16 MiB): its writer waits when the spool is full, and a line that needs more would never end.
 */
export const LONGEST_LINE = 8 * 1024 * 1024;
const LINE_END = 0x0a;

/** `line` gives each line as a piece of its own; `block` gives the whole lines that came at once as one piece. */
type Unit = "line" | "block";

/** Cuts the bytes of a pipe at the ends of lines, each piece with its place. */
export class PipeLines {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #offset: number;
  readonly #longest: number;
  readonly #unit: Unit;
  #isInLongLine = false;

  constructor(offset: number, longest: number = LONGEST_LINE, unit: Unit = "line") {
    this.#offset = offset;
    this.#longest = longest;
    this.#unit = unit;
  }

  /** The offset of the first byte that is in no line yet. */
  get offset(): number {
    return this.#offset;
  }

  /** The offset of the next byte. */
  get received(): number {
    return this.#offset + this.#restBytes;
  }

  push(bytes: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (let end = this.#endFrom(bytes, 0); end > 0; end = this.#endFrom(bytes, from)) {
      pieces.push(this.#take(bytes.subarray(from, end)));
      from = end;
    }
    // Copied, for whoever gave it may use the room again.
    if (from < bytes.length) this.#keep(Buffer.from(bytes.subarray(from)));
    return this.#restBytes > this.#longest ? [...pieces, this.#cut()] : pieces;
  }

  /** The end of the next piece, behind its line end; 0 where no line ends any more. */
  #endFrom(bytes: Buffer, from: number): number {
    const at = this.#unit === "line" ? bytes.indexOf(LINE_END, from) : bytes.lastIndexOf(LINE_END);
    return at < from ? 0 : at + 1;
  }

  /** The rest, which has no line end. */
  end(): Piece[] {
    return this.#restBytes === 0 ? [] : [this.#take(Buffer.alloc(0))];
  }

  /** Takes what is there of a long line; a character that is not whole stays for the next piece. */
  #cut(): Piece {
    const bytes = Buffer.concat(this.#rest);
    const whole = bytes.length - incompleteTail(bytes);
    this.#rest = [bytes.subarray(0, whole)];
    const part = this.#isInLongLine ? "more" : "first";
    const piece = { ...this.#take(Buffer.alloc(0)), part } as const;
    this.#isInLongLine = true;
    if (whole < bytes.length) this.#keep(bytes.subarray(whole));
    return piece;
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
    const part = this.#isInLongLine ? ({ part: "more" } as const) : {};
    this.#isInLongLine = false;
    return { text: whole.toString("utf8"), offset: this.#offset, ...part };
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

  /** Includes the bytes that are held back, for they may become a secret in the next line; none when the output is over. */
  entriesOf(
    pieces: readonly Piece[],
    isOver: boolean,
  ): { readonly entries: NonNullable<Parsed["entries"]>; readonly heldBytes: number } {
    const raw = pieces.map(({ text }) => text).join("");
    const text = plainText(this.#redacting.push(raw) + (isOver ? this.#redacting.end() : ""));
    const entry: NewEntry = { ...this.#said, text, tool: null };
    return { entries: text === "" ? [] : [entry], heldBytes: Buffer.byteLength(this.#redacting.held) };
  }
}
