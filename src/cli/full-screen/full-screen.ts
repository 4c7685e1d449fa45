import { constants } from "node:os";
import { RollcallError } from "../../domain/errors.ts";
import { isTerminal, type Output } from "../framework/output.ts";
import { type Key, KeyReader } from "./keys.ts";

/** The other screen, no cursor, no wrapping: a line that is too long ends at the edge; and pastes told from keys. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J";
const LEAVE = "\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";
/** So that a terminal that can shows a frame whole or not at all. */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface FullScreenOptions {
  /** The command that cannot do without a terminal, and what to do where there is none. */
  readonly needs: string;
  readonly hint: string;
  readonly key: (key: Key) => void;
  /** Is told when the size changed, and when the terminal has to be drawn anew. */
  readonly resized: () => void;
  /** Called with the exit code when the terminal is gone or a signal ends the command. */
  readonly leave: (exitCode: number) => void;
}

/** The whole terminal for a while. It is as it was before after every way out but `kill -9`. */
export class FullScreen implements Disposable {
  readonly #output: Output;
  readonly #take: (key: Key) => void;
  #shown: readonly string[] = [];
  #isOpen = false;
  #isBellDue = false;
  readonly #keys = new KeyReader();

  constructor(output: Output, { needs, hint, key, resized, leave }: FullScreenOptions) {
    if (!isTerminal(0) || !isTerminal(1))
      throw new RollcallError("bad_usage", `\`rollcall ${needs}\` needs a terminal.`, { hint });
    this.#output = output;
    this.#take = key;
    process.on("exit", this.#leave);
    const lost = () => leave(0);
    process.stdin.on("end", lost).on("error", lost);
    for (const signal of SIGNALS) process.on(signal, () => leave(128 + constants.signals[signal]));
    for (const signal of ["SIGWINCH", "SIGCONT"] as const)
      process.on(signal, () => {
        this.#shown = [];
        resized();
      });
  }

  get size(): Size {
    const [cols, rows] = process.stdout.getWindowSize();
    return { cols: cols || 80, rows: rows || 24 };
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#shown = [];
    process.stdin.setRawMode(true).on("data", this.#heard).resume();
    this.#output.piece(ENTER);
    if (this.#isBellDue) this.ring();
  }

  /** Gives the terminal to someone else for a while. */
  close(): void {
    process.stdin.off("data", this.#heard).pause();
    this.#leave();
  }

  /** Only lines that changed are written. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    const { rows } = this.size;
    const shown = lines.slice(0, rows);
    const count = Math.max(shown.length, this.#shown.length);
    const clear = this.#shown.length === 0 ? "\u001b[2J" : "";
    const changed = Array.from({ length: count }, (_, index) => this.#line(index, shown[index] ?? ""));
    const text = clear + changed.join("");
    this.#shown = shown;
    if (text !== "") this.#output.piece(BEGIN + text + END);
  }

  /** Waits while someone else has the terminal: in the middle of what they write it would mean something else. */
  ring(): void {
    this.#isBellDue = !this.#isOpen;
    if (this.#isOpen) this.#output.piece("\u0007");
  }

  [Symbol.dispose](): void {
    this.close();
    process.off("exit", this.#leave);
  }

  #line(index: number, text: string): string {
    return this.#shown[index] === text ? "" : `\u001b[${index + 1};1H\u001b[0m\u001b[2K${text}\u001b[0m`;
  }

  readonly #heard = (data: Buffer): void => {
    for (const key of this.#keys.read(data)) this.#take(key);
  };

  readonly #leave = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#output.piece(LEAVE);
      process.stdin.setRawMode(false);
    } catch {
      // The terminal is gone: there is nothing to put in order.
    }
  };
}
