import type { Parsed } from "../../agents/parsed.ts";
import type { Signal } from "../../domain/supervise/signal.ts";

/** The signals in one transcript: of the lines that were there at first only the last signal counts. */
export class TranscriptSignals {
  #isCaughtUp = false;
  #last: Signal | undefined;

  /** False until the lines that were there at first are read, and their last signal is told. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp;
  }

  /** A file is read that was not read before. */
  begin(): void {
    this.#isCaughtUp = false;
    this.#last = undefined;
  }

  /** The part of a line that counts now. */
  filter(parsed: Parsed): Parsed {
    if (this.#isCaughtUp) return parsed;
    const { signal, ...rest } = parsed;
    // A text begins something that a rest before it says nothing of. Codex writes it behind the beginning of its turn.
    const isOutdated = hasUserText(parsed) && this.#last?.says !== "working";
    this.#last = signal ?? (isOutdated ? undefined : this.#last);
    return rest;
  }

  /** Tells the last signal of the lines that were there at first. Called again where that fails. */
  async catchUp(tell: (signal: Signal) => Promise<void>): Promise<void> {
    if (this.#last) await tell(this.#last);
    this.#last = undefined;
    this.#isCaughtUp = true;
  }
}

export function hasUserText({ entries }: Parsed): boolean {
  return entries?.some(({ role, kind }) => role === "user" && kind === "text") === true;
}
