import { type Emulator, makeEmulator, type ScreenSize } from "./emulator.ts";

/** The size of a new session until someone attaches. */
const SIZE: ScreenSize = { cols: 120, rows: 40 };
/** More lines than a slice can have, so that each is taken before it is dropped. */
const SCROLLBACK = 10_000;
const SLICE_CHARS = 8 * 1024;
/** The modes by which a program has a screen of its own. */
const OTHER_SCREEN: readonly number[] = [47, 1047, 1049];

/** Turns what a terminal was sent into the lines that a person saw, as a log that only grows. */
export class RenderedLog {
  readonly #emulator: Emulator = makeEmulator(SIZE, SCROLLBACK);
  /** The first line that may still change, as the emulator moves it. */
  #next = this.#markAt(0);
  /** Lines from there on that were given out already. */
  #shown: readonly string[] = [];
  /** Lines of a screen that its program has left, still to be given out. */
  #leaving: string[] = [];

  constructor() {
    // Before the emulator goes back to the normal screen and forgets the other.
    this.#emulator.terminal.parser.registerCsiHandler({ prefix: "?", final: "l" }, (params) => {
      const isFull = this.#emulator.terminal.buffer.active.type === "alternate";
      if (isFull && params.flat().some((mode) => OTHER_SCREEN.includes(mode)))
        this.#leaving.push(...this.show({ isOver: true }));
      return false;
    });
  }

  resize({ cols, rows }: ScreenSize): void {
    this.#emulator.terminal.resize(cols, rows);
  }

  /** Takes output, and returns the lines that left the screen at its top, and those of a screen that its program left. */
  write(text: string): string[] {
    const lines: string[] = [];
    for (let at = 0; at < text.length; at += SLICE_CHARS) {
      this.#emulator.inside._inputHandler.parse(text.slice(at, at + SLICE_CHARS));
      lines.push(...this.#leaving.splice(0), ...this.#scrolled());
    }
    return lines;
  }

  /** The lines of the screen that are not given out yet; the one that is being written only with `isOver`. */
  show({ isOver }: { readonly isOver: boolean }): string[] {
    const { normal, alternate, active } = this.#emulator.terminal.buffer;
    const screen = withoutBlanks(this.#lines(normal, this.#nextLine(), normal.length));
    const isFull = active.type === "alternate";
    const own = isFull ? withoutBlanks(this.#lines(alternate, 0, alternate.length)) : [];
    const all = [...screen, ...own];
    const isWriting = !isOver && !isFull && active.cursorX > 0;
    const lines = isWriting ? all.slice(0, -1) : all;
    const same = sameAtFirst(lines, this.#shown);
    this.#shown = lines;
    return lines.slice(same);
  }

  #scrolled(): string[] {
    const { normal, active } = this.#emulator.terminal.buffer;
    if (active.type !== "normal") return [];
    const from = this.#nextLine();
    let to = normal.baseY;
    // A long line goes as a whole.
    while (to > from && normal.getLine(to)?.isWrapped) to -= 1;
    if (to <= from) return [];
    const lines = this.#lines(normal, from, to);
    const same = sameAtFirst(lines, this.#shown);
    this.#shown = same < lines.length ? [] : this.#shown.slice(same);
    this.#next?.dispose();
    this.#next = this.#markAt(to);
    return lines.slice(same);
  }

  #markAt(line: number) {
    const { terminal } = this.#emulator;
    return terminal.registerMarker(line - terminal.buffer.normal.baseY - terminal.buffer.normal.cursorY);
  }

  #nextLine(): number {
    return Math.max(0, this.#next?.line ?? 0);
  }

  #lines(buffer: Emulator["terminal"]["buffer"]["normal"], from: number, to: number): string[] {
    const lines: string[] = [];
    for (let at = from; at < to; at++) {
      const line = buffer.getLine(at);
      const isCut = buffer.getLine(at + 1)?.isWrapped ?? false;
      const whole = line?.translateToString(!isCut) ?? "";
      const text = isCut ? whole : whole.trimEnd();
      if (line?.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
      else lines.push(text);
    }
    return lines;
  }
}

function withoutBlanks(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

function sameAtFirst(lines: readonly string[], others: readonly string[]): number {
  const differs = lines.findIndex((line, index) => line !== others[index]);
  return differs < 0 ? lines.length : differs;
}
