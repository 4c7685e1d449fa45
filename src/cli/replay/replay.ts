import type { Output } from "../framework/output.ts";
import { FullScreen } from "../full-screen/full-screen.ts";
import type { Key } from "../full-screen/keys.ts";
import { Playhead } from "./playhead.ts";
import { Stage } from "./stage.ts";
import type { Timeline } from "./timeline.ts";
import { replayFrame } from "./view.ts";

const SEEK_MS = 5000;
/** A replay that goes on has left the marker it jumped to by this much when the key is pressed again. */
const JUST_LEFT_MS = 1000;
/** No more frames in a second than a person can see. */
const FRAME_MS = 33;
/** The clock in the last line goes on in silence, too. */
const TICK_MS = 500;

export interface ReplayOptions {
  readonly name: string;
  readonly speed: number;
  readonly fromMs: number;
}

/** Plays a timeline on the whole terminal, until the person leaves. */
export class Replay {
  readonly #timeline: Timeline;
  readonly #name: string;
  readonly #head: Playhead;
  readonly #stage: Stage;
  readonly #screen: FullScreen;
  readonly #left = Promise.withResolvers<number>();
  #timer: NodeJS.Timeout | undefined;
  #isDrawing = false;
  #isStale = false;

  constructor(timeline: Timeline, output: Output, { name, speed, fromMs }: ReplayOptions) {
    this.#timeline = timeline;
    this.#name = name;
    const { durationMs } = timeline;
    this.#head = new Playhead({ durationMs, speed, fromMs, now: () => performance.now() });
    this.#stage = new Stage(timeline);
    this.#screen = new FullScreen(output, {
      needs: "replay",
      hint: "In a pipe it prints the text of the terminal.",
      key: (key) => this.#press(key),
      resized: () => this.#draw(),
      leave: (exitCode) => this.#left.resolve(exitCode),
    });
  }

  /** Resolves with the exit code. */
  async run(): Promise<number> {
    this.#screen.open();
    this.#draw();
    try {
      return await this.#left.promise;
    } finally {
      clearTimeout(this.#timer);
      this.#screen[Symbol.dispose]();
      this.#stage[Symbol.dispose]();
    }
  }

  #press(key: Key): void {
    const deed = KEYS[typeof key === "string" ? key : "text" in key ? key.text : ""];
    if (deed === "leave") this.#left.resolve(0);
    else if (deed !== undefined) {
      deed(this.#head, this.#timeline);
      this.#draw();
    }
  }

  /** One at a time: a long seek draws once more behind what was asked for meanwhile. */
  #draw(): void {
    this.#isStale = true;
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    clearTimeout(this.#timer);
    void this.#drawAll()
      .catch((error: unknown) => this.#left.reject(error))
      .finally(() => {
        this.#isDrawing = false;
      });
  }

  async #drawAll(): Promise<void> {
    let ms = 0;
    while (this.#isStale) {
      this.#isStale = false;
      ({ ms } = this.#head);
      await this.#stage.show(ms);
      this.#show(ms);
    }
    this.#drawLater(ms);
  }

  #show(ms: number): void {
    const { cols, rows: height } = this.#screen.size;
    const { speed, isRunning, isAtEnd, durationMs } = this.#head;
    const moment = this.#timeline.markerAt(ms)?.moment.title;
    const state = { name: this.#name, ms, durationMs, speed, isRunning, isAtEnd, moment };
    this.#screen.draw(replayFrame({ ...state, rows: this.#stage.rows(cols), cols, height }));
  }

  /** The end may have come while the frame before it was drawn. */
  #drawLater(shownMs: number): void {
    const next = this.#head.msUntil(this.#stage.nextMs ?? this.#timeline.durationMs);
    const dueMs = next ?? (this.#head.ms > shownMs ? 0 : undefined);
    if (dueMs === undefined) return;
    this.#timer = setTimeout(() => this.#draw(), Math.min(TICK_MS, Math.max(FRAME_MS, dueMs)));
  }
}

type Deed = (head: Playhead, timeline: Timeline) => void;

const faster: Deed = (head) => head.setSpeed(2);

const KEYS: Readonly<Record<string, Deed | "leave">> = {
  " ": (head) => head.toggle(),
  left: (head) => head.seek(head.ms - SEEK_MS),
  right: (head) => head.seek(head.ms + SEEK_MS),
  first: (head) => head.seek(0),
  last: (head) => head.seek(head.durationMs),
  "[": (head, timeline) => {
    const leftMs = head.isRunning ? JUST_LEFT_MS * head.speed : 0;
    head.seek(timeline.previousMarker(head.ms - leftMs)?.ms ?? 0);
  },
  "]": (head, timeline) => head.seek(timeline.nextMarker(head.ms)?.ms ?? head.durationMs),
  "+": faster,
  "=": faster,
  "-": (head) => head.setSpeed(0.5),
  q: "leave",
  leave: "leave",
};
