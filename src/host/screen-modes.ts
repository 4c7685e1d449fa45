import type { Terminal } from "@xterm/headless";
import type { CursorShape, Emulator } from "./emulator.ts";

export interface ScreenModes {
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  readonly autowrap: boolean;
  readonly origin: boolean;
  readonly insert: boolean;
  readonly reverseWrap: boolean;
  readonly newLine: boolean;
  readonly bracketedPaste: boolean;
  readonly focus: boolean;
  readonly cursorVisible: boolean;
  /** As DECSCUSR numbers it; 0 is the terminal's own. */
  readonly cursorStyle: number;
  readonly mouse: Terminal["modes"]["mouseTrackingMode"];
  /** Those of `KEPT_MODES` that are set, in the order of setting. */
  readonly others: readonly number[];
  /** The stack of flags of the screen that shows, the effective ones last. */
  readonly kittyKeyboard: readonly number[];
  readonly modifyOtherKeys: number;
}

/** Private modes that the emulator ignores: blinking, mouse encodings, wheel as keys, news of the colour scheme. */
const KEPT_MODES = new Set([12, 1005, 1006, 1007, 1015, 1016, 2031]);
/** The number of modifyOtherKeys among xterm's key resources. */
const OTHER_KEYS = 4;
/** Terminals bound it too; the oldest goes. */
const MOST_KITTY_LEVELS = 16;

type Params = readonly (number | readonly number[])[];

/** Follows the modes of a terminal that its emulator does not keep itself. */
export class ModeTracker {
  readonly #emulator: Emulator;
  readonly #others = new Set<number>();
  #modifyOtherKeys = 0;
  #kitty = { normal: [0], alternate: [0] };

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    const { terminal } = emulator;
    const on = (prefix: string, final: string, follow: (params: Params) => void) =>
      terminal.parser.registerCsiHandler({ prefix, final }, (params) => {
        follow(params);
        return false;
      });
    on("?", "h", (params) => this.#set(params, true));
    on("?", "l", (params) => this.#set(params, false));
    on(">", "m", (params) => this.#setOtherKeys(params));
    on(">", "n", ([what]) => this.#setOtherKeys([what ?? 0]));
    on(">", "u", ([flags]) => this.#push(numberOf(flags)));
    on("<", "u", ([levels]) => this.#pop(numberOf(levels) || 1));
    on("=", "u", ([flags, how]) => this.#change(numberOf(flags), numberOf(how) || 1));
    terminal.parser.registerEscHandler({ final: "c" }, () => this.#reset());
    terminal.buffer.onBufferChange(({ type }) => {
      if (type === "normal") this.#kitty.alternate = [0];
    });
  }

  get kitty(): { readonly normal: readonly number[]; readonly alternate: readonly number[] } {
    return this.#kitty;
  }

  read(): ScreenModes {
    const { terminal, inside } = this.#emulator;
    const { modes } = terminal;
    return {
      applicationCursor: modes.applicationCursorKeysMode,
      applicationKeypad: modes.applicationKeypadMode,
      autowrap: modes.wraparoundMode,
      origin: modes.originMode,
      insert: modes.insertMode,
      reverseWrap: modes.reverseWraparoundMode,
      newLine: terminal.options.convertEol ?? false,
      bracketedPaste: modes.bracketedPasteMode,
      focus: modes.sendFocusMode,
      cursorVisible: !inside.coreService.isCursorHidden,
      cursorStyle: cursorStyle(inside.coreService.decPrivateModes),
      mouse: modes.mouseTrackingMode,
      others: [...this.#others],
      kittyKeyboard: [...this.#kitty[terminal.buffer.active.type]],
      modifyOtherKeys: this.#modifyOtherKeys,
    };
  }

  #set(params: Params, isSet: boolean): void {
    for (const mode of params.map(numberOf).filter((each) => KEPT_MODES.has(each))) {
      // Taken out first: of the encodings of the mouse the last one counts.
      this.#others.delete(mode);
      if (isSet) this.#others.add(mode);
    }
  }

  #setOtherKeys([what, value]: Params): void {
    if (numberOf(what) === OTHER_KEYS || numberOf(what) === 0) this.#modifyOtherKeys = numberOf(value);
  }

  get #stack(): number[] {
    return this.#kitty[this.#emulator.terminal.buffer.active.type];
  }

  #push(flags: number): void {
    this.#stack.push(flags);
    if (this.#stack.length > MOST_KITTY_LEVELS) this.#stack.shift();
  }

  #pop(levels: number): void {
    this.#stack.length = Math.max(0, this.#stack.length - levels);
    if (this.#stack.length === 0) this.#stack.push(0);
  }

  /** `how`: 1 is these flags alone, 2 these too, 3 these not. */
  #change(flags: number, how: number): void {
    const now = this.#stack.pop() ?? 0;
    this.#stack.push(how === 2 ? now | flags : how === 3 ? now & ~flags : flags);
  }

  #reset(): boolean {
    this.#others.clear();
    this.#modifyOtherKeys = 0;
    this.#kitty = { normal: [0], alternate: [0] };
    return false;
  }
}

function numberOf(param: number | readonly number[] | undefined): number {
  return typeof param === "number" ? param : 0;
}

const STEADY: Readonly<Record<CursorShape, number>> = { block: 2, underline: 4, bar: 6 };

function cursorStyle(modes: { readonly cursorStyle?: CursorShape; readonly cursorBlink?: boolean }): number {
  return modes.cursorStyle === undefined ? 0 : STEADY[modes.cursorStyle] - (modes.cursorBlink ? 1 : 0);
}
