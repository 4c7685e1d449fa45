import xterm, { type IBufferCell, type Terminal } from "@xterm/headless";
import { charWidth } from "./char-width.ts";

export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}

export interface Emulator {
  readonly terminal: Terminal;
  readonly inside: Inside;
}

/** A terminal without a window. It answers no query. */
/** As the holder has it, too: every cell is kept in memory, and a recording may be damaged or of an older holder. */
const MOST_COLS = 1000;
const MOST_ROWS = 500;

/** The size itself, or the nearest that can be drawn. */
export function drawableSize({ cols, rows }: ScreenSize): ScreenSize {
  const within = (value: number, most: number) => Math.min(most, Math.max(1, Math.trunc(value) || 1));
  return { cols: within(cols, MOST_COLS), rows: within(rows, MOST_ROWS) };
}

export function makeEmulator(size: ScreenSize, scrollback: number): Emulator {
  const { cols, rows } = drawableSize(size);
  const terminal = new xterm.Terminal({
    cols,
    rows,
    scrollback,
    allowProposedApi: true,
    disableStdin: true,
    logLevel: "off",
  });
  terminal.unicode.register(WIDTHS);
  terminal.unicode.activeVersion = WIDTHS.version;
  const inside = (terminal as unknown as { _core: Inside })._core;
  mendErase(terminal, inside);
  mendReset(terminal, inside);
  mendCounts(terminal, inside);
  return { terminal, inside };
}

/** Attributes of a cell, or of what is written next. */
export interface Pen
  extends Pick<
    IBufferCell,
    | "isBold"
    | "isDim"
    | "isItalic"
    | "isBlink"
    | "isInverse"
    | "isInvisible"
    | "isStrikethrough"
    | "isOverline"
    | "getFgColorMode"
    | "getFgColor"
    | "getBgColorMode"
    | "getBgColor"
  > {
  readonly fg: number;
  readonly bg: number;
  readonly extended: { readonly ext: number; readonly underlineColor: number };
  getUnderlineStyle(): number;
}

export interface BufferInside {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: Pen;
  readonly savedCharset: Charset;
}

/** Maps characters to the ones they stand for, if those are not ASCII. */
export type Charset = Readonly<Record<string, string>> | undefined;

/** Private state of the emulator, as of 6.0.0, which `package.json` pins. */
interface Inside {
  readonly buffers: { readonly normal: BufferInside; readonly alt: BufferInside };
  readonly coreService: {
    isCursorHidden: boolean;
    readonly decPrivateModes: { readonly cursorStyle?: CursorShape; readonly cursorBlink?: boolean };
  };
  /** `charset` is the one in use: restoring a cursor changes it alone. */
  readonly _charsetService: {
    readonly charset: Charset;
    readonly glevel: number;
    readonly _charsets: readonly Charset[];
  };
  readonly _inputHandler: {
    readonly _curAttrData: Pen;
    readonly _parser: {
      readonly currentState: number;
      readonly precedingJoinState: number;
      /** Unlike the one of the terminal, it hands out the parameters themselves. */
      registerCsiHandler(id: { readonly final: string }, handler: (params: Params) => boolean): void;
    };
    /** Unlike `write` of the terminal, it throws to its caller and not into the event loop. */
    parse(text: string): void;
    eraseInDisplay(params: { readonly params: readonly number[] }, onlyUnprotected: boolean): boolean;
  };
}

interface Params {
  /** Those of the sequence come first; there is room for more. */
  readonly params: Int32Array;
}

export type CursorShape = "block" | "underline" | "bar";

const WIDTHS = {
  version: "rollcall",
  wcwidth: charWidth,
  /** Bits as the emulator packs them: does it join the character before it, and above that the width of both. */
  charProperties(code: number, preceding: number): number {
    const [width, widthBefore] = [charWidth(code), (preceding >> 1) & 3];
    if (width > 0) return width << 1;
    // A mark that has nothing to join stands alone.
    return widthBefore === 0 ? 1 << 1 : (widthBefore << 1) | 1;
  },
};

const ERASE_ABOVE = 1;
const ERASE_ALL = 2;

/** 6.0.0 throws when everything above the very last cell is erased. */
function mendErase(terminal: Terminal, inside: Inside): void {
  for (const prefix of ["", "?"]) {
    terminal.parser.registerCsiHandler({ prefix, final: "J" }, ([how]) => {
      const { cursorX, cursorY } = terminal.buffer.active;
      const atEnd = cursorX >= terminal.cols - 1 && cursorY === terminal.rows - 1;
      if (how !== ERASE_ABOVE || !atEnd) return false;
      return inside._inputHandler.eraseInDisplay({ params: [ERASE_ALL] }, prefix === "?");
    });
  }
}

/** 6.0.0 leaves these as they are on a full reset. */
function mendReset(terminal: Terminal, inside: Inside): void {
  terminal.parser.registerEscHandler({ final: "c" }, () => {
    inside.coreService.isCursorHidden = false;
    terminal.options.convertEol = false;
    return false;
  });
}

/** 6.0.0 takes as many steps as it is told, up to two thousand million; these are as many as can show. */
function mendCounts(terminal: Terminal, inside: Inside): void {
  const most = {
    SLTM: () => terminal.rows,
    IZ: () => terminal.cols,
    b: () => terminal.cols * terminal.rows,
  };
  for (const [finals, count] of Object.entries(most)) {
    for (const final of finals) {
      inside._inputHandler._parser.registerCsiHandler({ final }, ({ params }) => {
        params[0] = Math.min(params[0] as number, count());
        return false;
      });
    }
  }
}
