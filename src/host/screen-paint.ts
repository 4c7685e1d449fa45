import type { IBuffer, IBufferCell, IBufferLine } from "@xterm/headless";
import { charWidth } from "./char-width.ts";
import type { Pen, ScreenSize } from "./emulator.ts";

const PLAIN = "\x1b[0m";

/** Writes what makes a terminal look like a buffer. Assumes plain attributes and no mode but autowrap at its start. */
export class Painter {
  readonly #size: ScreenSize;
  #out = "";
  /** The attributes that are selected, and the numbers they were set by. */
  #pen = PLAIN;
  #fg = 0;
  #bg = 0;
  #ext = 0;
  /** Read into again and again: there are many cells. */
  #reused: IBufferCell | undefined;

  constructor(size: ScreenSize) {
    this.#size = size;
  }

  get bytes(): string {
    return this.#out;
  }

  put(text: string): void {
    this.#out += text;
  }

  /** `row` and `column` from zero on. */
  moveTo(row: number, column: number): void {
    this.put(`\x1b[${row + 1};${column + 1}H`);
  }

  plain(): void {
    if (this.#pen !== PLAIN) this.put(PLAIN);
    this.#pen = PLAIN;
    this.#fg = this.#bg = this.#ext = 0;
  }

  pen(pen: Pen): void {
    const { fg, bg, extended } = pen;
    if (this.#pen !== "" && fg === this.#fg && bg === this.#bg && extended.ext === this.#ext) return;
    const next = sgr(pen);
    if (next !== this.#pen) this.put(next);
    this.#pen = next;
    [this.#fg, this.#bg, this.#ext] = [fg, bg, extended.ext];
  }

  clear(): void {
    this.plain();
    this.put("\x1b[H\x1b[2J");
  }

  /** The lines above the screen, written at its top and scrolled out. */
  history(buffer: IBuffer): void {
    const { baseY } = buffer;
    if (baseY === 0) return;
    for (let at = 0; at < baseY; at++) {
      this.#line(buffer, at, at + 1 < baseY);
      if (at + 1 === baseY || !buffer.getLine(at + 1)?.isWrapped) this.put("\r\n");
    }
    this.moveTo(this.#size.rows - 1, 0);
    this.put("\n".repeat(Math.min(baseY, this.#size.rows - 1)));
  }

  /** Each line at its place, so that a terminal that takes another width for a character goes wrong in that line only. */
  screen(buffer: IBuffer): void {
    const { rows } = this.#size;
    for (let row = 0; row < rows; row++) {
      const at = buffer.baseY + row;
      if (row === 0 || !buffer.getLine(at)?.isWrapped) {
        if (isBlank(buffer, at) && !buffer.getLine(at + 1)?.isWrapped) continue;
        this.moveTo(row, 0);
      }
      this.#line(buffer, at, row + 1 < rows);
    }
  }

  /** One line alone, at most so many columns of it: characters and attributes, nothing else that acts on a terminal. */
  row(buffer: IBuffer, at: number, cols: number): void {
    const line = buffer.getLine(at);
    if (line === undefined) return;
    const end = Math.min(visibleLength(line), cols);
    for (let x = 0; x < end; x++) {
      const isTooWide = x + 1 === end && line.getCell(x)?.getWidth() === 2;
      if (isTooWide && end === cols) this.put(" ");
      else x += this.#cell(line, x) - 1;
    }
    this.plain();
  }

  /** The cell before the cursor once more, for a line that is full, or a character that others may join. */
  again(line: IBufferLine, x: number): void {
    const cell = line.getCell(x);
    if (cell === undefined) return;
    this.pen(penOf(cell));
    this.put(cell.getChars() || " ");
  }

  #line(buffer: IBuffer, at: number, hasNext: boolean): void {
    const line = buffer.getLine(at);
    if (line === undefined) return;
    const next = hasNext ? buffer.getLine(at + 1) : undefined;
    const goesOn = next?.isWrapped === true;
    const end = goesOn ? fullLength(line, next) : Math.max(visibleLength(line), line.isWrapped ? 1 : 0);
    for (let x = 0; x < end; x++) x += this.#cell(line, x) - 1;
    if (goesOn) return;
    this.plain();
    // A line that scrolled in by wrapping has the background of its first character.
    if (line.isWrapped && end < this.#size.cols) this.put("\x1b[K");
  }

  /** Returns how many cells it took. */
  #cell(line: IBufferLine, x: number): number {
    const cell = line.getCell(x, this.#reused) as IBufferCell;
    this.#reused = cell;
    const [width, chars] = [cell.getWidth(), cell.getChars() || " "];
    const isCut = width === 2 && line.getCell(x + 1)?.getWidth() !== 0;
    // Attributes anew keep a mark that stands alone from joining the cell before it.
    if (charWidth(chars.codePointAt(0) as number) === 0) this.#pen = "";
    this.pen(penOf(cell));
    this.put(isCut ? " " : chars);
    return width === 2 && !isCut ? 2 : 1;
  }
}

function penOf(cell: IBufferCell): Pen {
  return cell as unknown as Pen;
}

/** Where a line that goes on in the next one ends: a wide character that did not fit leaves a cell that looks like it. */
function fullLength(line: IBufferLine, next: IBufferLine): number {
  const [last, first] = [line.getCell(line.length - 1), next.getCell(0)] as [IBufferCell, IBufferCell];
  const isShort = last.getChars() === "" && first.getWidth() === 2 && looksLike(penOf(last), penOf(first));
  const endsWide = line.getCell(line.length - 2)?.getWidth() === 2;
  return isShort && !endsWide ? line.length - 1 : line.length;
}

function looksLike(one: Pen, other: Pen): boolean {
  return one.fg === other.fg && one.bg === other.bg && one.extended.ext === other.extended.ext;
}

function visibleLength(line: IBufferLine): number {
  let end = line.length;
  const cell = line.getCell(0);
  while (end > 0 && isInvisible(line.getCell(end - 1, cell) as IBufferCell)) end--;
  return end;
}

function isBlank(buffer: IBuffer, at: number): boolean {
  const line = buffer.getLine(at);
  return line === undefined || visibleLength(line) === 0;
}

function isInvisible(cell: IBufferCell): boolean {
  const chars = cell.getChars();
  if (cell.getWidth() !== 1 || (chars !== "" && chars !== " ")) return false;
  const isMarked = cell.isInverse() || cell.isUnderline() || cell.isStrikethrough() || cell.isOverline();
  return cell.isBgDefault() && !isMarked;
}

function sgr(pen: Pen): string {
  const flags: readonly (readonly [number, number])[] = [
    [pen.isBold(), 1],
    [pen.isDim(), 2],
    [pen.isItalic(), 3],
    [pen.isBlink(), 5],
    [pen.isInverse(), 7],
    [pen.isInvisible(), 8],
    [pen.isStrikethrough(), 9],
    [pen.isOverline(), 53],
  ];
  const codes = [0, ...flags.filter(([isOn]) => isOn).map(([, code]) => code)];
  codes.push(...ground(pen.getFgColorMode(), pen.getFgColor(), 30));
  codes.push(...ground(pen.getBgColorMode(), pen.getBgColor(), 40));
  return `\x1b[${codes.join(";")}${underline(pen)}m`;
}

/** As the emulator numbers the ways to name a colour; zero is the terminal's own. */
const NAMED = 0x1000000;
const RGB = 0x3000000;
const UNSET = 0x3ffffff;

/** `first` is the code of black: the bright ones lie 60 above, others are named after the code 8 above. */
function ground(mode: number, value: number, first: number): number[] {
  if (mode === 0) return [];
  if (mode === NAMED) return [first + (value & 7) + (value > 7 ? 60 : 0)];
  return [first + 8, ...colour(mode, value)];
}

function colour(mode: number, value: number): number[] {
  return mode === RGB ? [2, ...rgb(value)] : [5, value & 255];
}

function rgb(value: number): number[] {
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** With colons: who does not know the colour of an underline skips all of it, and takes no part for another code. */
function underline(pen: Pen): string {
  const style = pen.getUnderlineStyle();
  if (style === 0) return "";
  const value = pen.extended.underlineColor;
  const mode = value & RGB;
  const shape = style === 1 ? ";4" : `;4:${style}`;
  if (mode === 0 || value === UNSET) return shape;
  return `${shape};58:${mode === RGB ? `2::${rgb(value).join(":")}` : `5:${value & 255}`}`;
}
