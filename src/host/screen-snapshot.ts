import type { BufferInside, Charset, Emulator } from "./emulator.ts";
import type { ModeTracker, ScreenModes } from "./screen-modes.ts";
import { Painter } from "./screen-paint.ts";

/**
 * Writes the bytes that make a fresh terminal of the same size equal: history, screen, cursor, attributes, modes. The order
 * matters: regions and origin mode move the cursor, and insert mode would move what is drawn.
 */
export function drawSnapshot(emulator: Emulator, tracker: ModeTracker, title: string): string {
  const { terminal, inside } = emulator;
  const { normal, alternate, active } = terminal.buffer;
  const isAlternate = active.type === "alternate";
  const painter = new Painter(terminal);
  const modes = tracker.read();
  painter.clear();
  painter.history(normal);
  painter.clear();
  painter.screen(normal);
  painter.put(kitty(tracker.kitty.normal));
  if (isAlternate) {
    painter.put(region(inside.buffers.normal, terminal.rows));
    goToSaved(painter, inside.buffers.normal, terminal);
    painter.put("\x1b[?1049h\x1b[r");
    painter.clear();
    painter.screen(alternate);
    painter.put(kitty(tracker.kitty.alternate));
  }
  const buffer = isAlternate ? inside.buffers.alt : inside.buffers.normal;
  save(painter, buffer, terminal);
  painter.put(region(buffer, terminal.rows) + modeChanges(modes));
  if (title !== "") painter.put(`\x1b]2;${title}\x07`);
  placeCursor(painter, emulator, buffer, modes);
  return painter.bytes;
}

interface Rows {
  readonly rows: number;
  readonly cols: number;
}

function goToSaved(painter: Painter, buffer: BufferInside, { rows, cols }: Rows): void {
  const row = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), rows - 1);
  painter.moveTo(row, Math.min(buffer.savedX, cols - 1));
  painter.pen(buffer.savedCurAttrData);
}

function save(painter: Painter, buffer: BufferInside, size: Rows): void {
  const { savedX, savedY, ybase, savedCurAttrData: pen, savedCharset } = buffer;
  if (savedX === 0 && savedY <= ybase && pen.fg === 0 && pen.bg === 0 && savedCharset === undefined) return;
  goToSaved(painter, buffer, size);
  painter.put(drawsLines(savedCharset) ? "\x1b(0\x1b7\x1b(B" : "\x1b7");
}

function region({ scrollTop, scrollBottom }: BufferInside, rows: number): string {
  return scrollTop === 0 && scrollBottom === rows - 1 ? "" : `\x1b[${scrollTop + 1};${scrollBottom + 1}r`;
}

function kitty([base = 0, ...levels]: readonly number[]): string {
  const first = base === 0 ? "" : `\x1b[=${base};1u`;
  return first + levels.map((flags) => `\x1b[>${flags}u`).join("");
}

const MOUSE = { none: undefined, x10: 9, vt200: 1000, drag: 1002, any: 1003 } as const;

function modeChanges(modes: ScreenModes): string {
  const mouse = MOUSE[modes.mouse];
  const changes: readonly (readonly [boolean, string])[] = [
    [modes.applicationCursor, "\x1b[?1h"],
    [modes.applicationKeypad, "\x1b="],
    [modes.bracketedPaste, "\x1b[?2004h"],
    [modes.focus, "\x1b[?1004h"],
    [modes.reverseWrap, "\x1b[?45h"],
    [!modes.autowrap, "\x1b[?7l"],
    [modes.newLine, "\x1b[20h"],
    [modes.insert, "\x1b[4h"],
    [modes.origin, "\x1b[?6h"],
    [!modes.cursorVisible, "\x1b[?25l"],
    [modes.cursorStyle !== 0, `\x1b[${modes.cursorStyle} q`],
    [mouse !== undefined, `\x1b[?${mouse}h`],
    [modes.modifyOtherKeys !== 0, `\x1b[>4;${modes.modifyOtherKeys}m`],
  ];
  const others = modes.others.map((mode) => `\x1b[?${mode}h`);
  return [...changes.filter(([isOn]) => isOn).map(([, change]) => change), ...others].join("");
}

/**
 * The cursor behind a full line can only be had by writing its last cell again; the same lets a combining mark that
 * comes next find its character, if nothing else comes between.
 */
function placeCursor(
  painter: Painter,
  { terminal, inside }: Emulator,
  buffer: BufferInside,
  modes: ScreenModes,
) {
  const { x, y } = buffer;
  const row = modes.origin ? y - buffer.scrollTop : y;
  const line = terminal.buffer.active.getLine(buffer.ybase + y);
  const joins = inside._inputHandler._parser.precedingJoinState !== 0;
  if (joins) painter.put(charsets(inside));
  if (line !== undefined && x > 0 && (x === terminal.cols || joins)) {
    const before = x > 1 && line.getCell(x - 1)?.getWidth() === 0 ? x - 2 : x - 1;
    painter.moveTo(row, before);
    if (modes.insert) painter.put(`\x1b[${x - before}P`);
    painter.again(line, before);
  } else painter.moveTo(row, x);
  painter.pen(inside._inputHandler._curAttrData);
  if (!joins) painter.put(`\x1b(B${charsets(inside)}`);
}

const DESIGNATE = ["(", ")", "*", "+"];
const SHIFT = ["", "\x0e", "\x1bn", "\x1bo"];

function charsets({ _charsetService: { charset, glevel, _charsets } }: Emulator["inside"]): string {
  const drawn = DESIGNATE.map((which, at) =>
    drawsLines(at === glevel ? charset : _charsets[at]) ? `\x1b${which}0` : "",
  );
  return drawn.join("") + SHIFT[glevel];
}

/** Programs use no charset but the one that draws lines. */
function drawsLines(charset: Charset): boolean {
  return charset?.q === "─";
}
