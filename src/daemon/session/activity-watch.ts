import { detachedText } from "../../domain/detached-text.ts";
import { type Activity, activityAfter, lastLine } from "../../domain/session/activity.ts";
import { type Instant, toInstant } from "../../domain/time.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";

/** More than a line of a terminal; the rest of a longer one says little more. */
const KEPT_CHARS = 4096;

/** Follows what a session does now. What it is given was redacted before. */
export class ActivityWatch {
  readonly #now: () => number;
  readonly #changed: () => void;
  #last: Activity | null = null;
  #output = "";

  /** `changed` is called at every change, and has to batch. */
  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  get current(): Activity | null {
    const text = this.#output === "" ? undefined : lastLine(this.#output);
    return text === undefined || !this.#last ? this.#last : { ...this.#last, text, tool: null };
  }

  /** Goes on from what a daemon before this one saw. */
  restore(activity: Activity | null): void {
    this.#last ??= activity;
  }

  addEntries(entries: readonly NewEntry[], at: Instant = toInstant(this.#now())): void {
    for (const entry of entries) this.#set(activityAfter(this.#last, entry, at));
  }

  /** Output of a program whose output is all that it says. */
  addOutput(text: string): void {
    this.#output = detachedText((this.#output + text).slice(-KEPT_CHARS));
    const line = this.#last ? this.#last.text : lastLine(this.#output);
    if (line !== undefined) this.#set({ text: line, tool: null, at: toInstant(this.#now()) });
  }

  /** It writes: an answer that streams is one entry only when it is whole. */
  touch(): void {
    if (this.#last) this.#set({ ...this.#last, at: toInstant(this.#now()) });
  }

  #set(activity: Activity | null): void {
    if (activity === this.#last) return;
    this.#last = activity;
    this.#changed();
  }
}
