import { setImmediate as breathe } from "node:timers/promises";
import { drawableSize, type Emulator, makeEmulator, type ScreenSize } from "./emulator.ts";
import { ModeTracker, type ScreenModes } from "./screen-modes.ts";
import { Painter } from "./screen-paint.ts";
import { drawSnapshot } from "./screen-snapshot.ts";

export interface ScreenOptions extends ScreenSize {
  /** How many lines above the screen are kept. */
  readonly scrollback?: number;
}

export interface Cursor {
  /** From zero on. */
  readonly row: number;
  readonly column: number;
}

const DEFAULT_SCROLLBACK = 1000;
/** After so much work others get their turn; most bytes are quick, and some sequences are a screen of work each. */
const TURN_MS = 20;
const SLICE_BYTES = 8 * 1024;
const MOST_TITLE_CHARS = 1000;
/** Longer ones carry pictures or a clipboard; their beginning keeps what follows from being shown as text. */
const MOST_UNFINISHED_CHARS = 64 * 1024;

/** The screen that a terminal would show after the bytes written. Queries in them are answered by nobody. */
export class Screen implements Disposable {
  readonly #emulator: Emulator;
  readonly #modes: ModeTracker;
  /** Bytes of a character that is not complete yet. */
  #cut: Buffer = Buffer.alloc(0);
  /** The beginning of an escape sequence whose end has not come yet. */
  #unfinished = "";
  #title = "";
  #writing: Promise<void> = Promise.resolve();

  constructor({ scrollback = DEFAULT_SCROLLBACK, ...size }: ScreenOptions) {
    this.#emulator = makeEmulator(size, scrollback);
    this.#modes = new ModeTracker(this.#emulator);
    this.#emulator.terminal.onTitleChange((title) => {
      this.#title = title.slice(0, MOST_TITLE_CHARS);
    });
  }

  get size(): ScreenSize {
    const { cols, rows } = this.#emulator.terminal;
    return { cols, rows };
  }

  get cursor(): Cursor {
    const { cursorX, cursorY } = this.#emulator.terminal.buffer.active;
    return { row: cursorY, column: Math.min(cursorX, this.size.cols - 1) };
  }

  get title(): string {
    return this.#title;
  }

  get modes(): ScreenModes {
    return this.#modes.read();
  }

  get bracketedPaste(): boolean {
    return this.#emulator.terminal.modes.bracketedPasteMode;
  }

  get isAlternate(): boolean {
    return this.#emulator.terminal.buffer.active.type === "alternate";
  }

  /** Resolves when the screen shows them. They may be cut anywhere, and belong to the screen until then. */
  write(bytes: Uint8Array): Promise<void> {
    return this.writeAll([bytes]);
  }

  /** The same for pieces that follow each other; each is asked for when the one before it is shown. */
  writeAll(pieces: Iterable<Uint8Array>): Promise<void> {
    this.#writing = this.#writing.then(() => this.#parseAll(pieces));
    return this.#writing;
  }

  resize(size: ScreenSize): void {
    const { cols, rows } = drawableSize(size);
    this.#emulator.terminal.resize(cols, rows);
  }

  /** The visible text, without trailing blanks and trailing empty lines. */
  text(): string {
    return this.textWithHistory(0);
  }

  /** The same, with at most so many lines that have left the screen at its top. */
  textWithHistory(lines: number): string {
    const { active } = this.#emulator.terminal.buffer;
    const rows: string[] = [];
    for (let at = Math.max(0, active.baseY - lines); at < active.length; at++) {
      rows.push(active.getLine(at)?.translateToString(true).trimEnd() ?? "");
    }
    return rows.join("\n").replace(/\n+$/, "");
  }

  /**
   * The visible lines as another terminal may show them, as many columns of each as it has: text and colours alone. What
   * the program did to its terminal (titles, clipboard, queries, modes) is not in them, nor what turns text around.
   */
  rows(cols: number): string[] {
    const { active } = this.#emulator.terminal.buffer;
    return Array.from({ length: this.size.rows }, (_, row) => {
      const painter = new Painter(this.size);
      painter.row(active, active.baseY + row, cols);
      return painter.bytes.replace(/\p{Bidi_Control}/gu, "");
    });
  }

  /** Bytes that make a fresh terminal of this size show the same, and go on in the same way. */
  snapshot(): Uint8Array {
    const drawn = drawSnapshot(this.#emulator, this.#modes, this.#title);
    return Buffer.concat([Buffer.from(drawn + this.#unfinished), this.#cut]);
  }

  [Symbol.dispose](): void {
    this.#emulator.terminal.dispose();
  }

  async #parseAll(pieces: Iterable<Uint8Array>): Promise<void> {
    let since = performance.now();
    for (const slice of slicesOf(pieces)) {
      if (performance.now() - since > TURN_MS) {
        await breathe();
        since = performance.now();
      }
      this.#parse(slice);
    }
  }

  /** Whole characters only: the emulator (6.0.0) loses a cut character whose second byte is 0x80, such as "…". */
  #parse(bytes: Uint8Array): void {
    const all =
      this.#cut.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([this.#cut, bytes]);
    const whole = all.length - cutBytes(all);
    this.#cut = Buffer.from(all.subarray(whole));
    const text = all.toString("utf8", 0, whole);
    const handler = this.#emulator.inside._inputHandler;
    handler.parse(text);
    this.#unfinished = handler._parser.currentState === 0 ? "" : unfinished(this.#unfinished, text);
  }
}

function* slicesOf(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += SLICE_BYTES) yield piece.subarray(at, at + SLICE_BYTES);
}

/** How many bytes at the end begin a character and do not complete it. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (isContinuation) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Characters that begin a sequence: ESC, and the C1 codes that stand for ESC and another character. */
const INTRODUCERS = "\x1b\x90\x98\x9b\x9d\x9e\x9f";

/** From the last introducer on; control characters inside a sequence have been obeyed already. */
function unfinished(before: string, text: string): string {
  const all = before + text;
  let at = all.length - 1;
  while (at > 0 && !INTRODUCERS.includes(all[at] as string)) at--;
  const inside = all.slice(at + 1).replace(/\p{Cc}/gu, "");
  return (all.charAt(at) + inside).slice(0, MOST_UNFINISHED_CHARS);
}
