import type { ScreenSize } from "../../host/emulator.ts";
import { Screen } from "../../host/screen.ts";
import type { Timeline } from "./timeline.ts";

/** So many characters at most are played again to go back. */
const KEY_FRAME_CHARS = 1_000_000;
const FIRST_SIZE: ScreenSize = { cols: 120, rows: 40 };

interface KeyFrame {
  /** How many points are in it. */
  readonly index: number;
  readonly size: ScreenSize;
  readonly bytes: Uint8Array;
}

/** The screen of a recording at any of its times, drawn by an emulator: nothing recorded reaches a terminal as it is. */
export class Stage implements Disposable {
  readonly #timeline: Timeline;
  #screen = blankScreen(FIRST_SIZE);
  /** How many points are shown. */
  #index = 0;
  #written = 0;
  #keyFrames: readonly KeyFrame[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get size(): ScreenSize {
    return this.#screen.size;
  }

  /** When the next point is due; undefined behind the last. */
  get nextMs(): number | undefined {
    return this.#timeline.points[this.#index]?.ms;
  }

  async show(ms: number): Promise<void> {
    const shown = this.#timeline.points[this.#index - 1];
    if (shown && shown.ms > ms) await this.#goBack(ms);
    while ((this.nextMs ?? Number.POSITIVE_INFINITY) <= ms) await this.#step();
  }

  rows(cols: number): string[] {
    return this.#screen.rows(cols);
  }

  [Symbol.dispose](): void {
    this.#screen[Symbol.dispose]();
  }

  async #step(): Promise<void> {
    const { kind, text } = this.#timeline.points[this.#index]?.frame ?? { kind: "m", text: "" };
    this.#index += 1;
    if (kind === "r") this.#screen.resize(sizeOf(text));
    if (kind !== "o") return;
    await this.#screen.write(Buffer.from(text));
    this.#written += text.length;
    if (this.#written >= KEY_FRAME_CHARS) this.#keepFrame();
  }

  #keepFrame(): void {
    this.#written = 0;
    if (this.#index <= (this.#keyFrames.at(-1)?.index ?? 0)) return;
    const frame = { index: this.#index, size: this.#screen.size, bytes: this.#screen.snapshot() };
    this.#keyFrames = [...this.#keyFrames, frame];
  }

  async #goBack(ms: number): Promise<void> {
    const { points } = this.#timeline;
    const frame = this.#keyFrames.findLast(({ index }) => (points[index - 1]?.ms ?? 0) <= ms);
    this.#screen[Symbol.dispose]();
    this.#screen = blankScreen(frame?.size ?? FIRST_SIZE);
    this.#index = frame?.index ?? 0;
    this.#written = 0;
    if (frame) await this.#screen.write(frame.bytes);
  }
}

/** Lines that have scrolled away are not shown, and need not be kept. */
function blankScreen(size: ScreenSize): Screen {
  return new Screen({ ...size, scrollback: 0 });
}

function sizeOf(text: string): ScreenSize {
  const [cols = 0, rows = 0] = text.split("x").map(Number);
  return { cols, rows };
}
