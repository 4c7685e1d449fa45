import { SerialQueue } from "../machine/serial-queue.ts";
import type { ScreenSize } from "./emulator.ts";
import { readOn, readScreen, type ScreenReading } from "./read-screen.ts";
import type { Screen } from "./screen.ts";

/** Each may take some 2 MB: 1,000 lines of history at 120 columns. */
const DEFAULT_MOST = 8;

/** The screens asked for last, brought up to date from the spool with each question. */
export class ScreenCache {
  readonly #most: number;
  /** By folder, the one asked for last at the end. */
  readonly #readings = new Map<string, ScreenReading>();
  readonly #queue = new SerialQueue();
  /** The last question about each folder; it must not hold the answer. */
  readonly #asked = new Map<string, Promise<void>>();

  constructor({ most = DEFAULT_MOST }: { readonly most?: number } = {}) {
    this.#most = most;
  }

  get count(): number {
    return this.#readings.size;
  }

  /**
   * The screen of a session's folder, to be read at once: the next question may change it. One question at a time is
   * worked on, since all of it is computing, and memory stays bounded however many ask.
   */
  screenOf(dir: string, size: ScreenSize): Promise<Screen> {
    const turn = this.#queue.run(() => this.#update(dir, size));
    const forget = () => {};
    this.#asked.set(dir, turn.then(forget, forget));
    return turn;
  }

  /** Forgets a session, after the questions asked about it before, whatever others wait for; idempotent. */
  async drop(dir: string): Promise<void> {
    await this.#asked.get(dir);
    this.#asked.delete(dir);
    this.#readings.delete(dir);
  }

  async #update(dir: string, size: ScreenSize): Promise<Screen> {
    const known = this.#readings.get(dir);
    // Back in its place only if nothing failed.
    this.#readings.delete(dir);
    this.#makeRoom();
    known?.screen.resize(size);
    const next = known === undefined ? undefined : await readOn(dir, known);
    // After a gap a snapshot may know what the spool has let go.
    const reading = next ?? (await readScreen(dir, size));
    this.#readings.set(dir, reading);
    return reading.screen;
  }

  /** They are not disposed of: who asked may still read one. */
  #makeRoom(): void {
    for (const dir of this.#readings.keys()) {
      if (this.#readings.size < this.#most) return;
      this.#readings.delete(dir);
    }
  }
}
