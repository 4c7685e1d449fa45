import type { TurnMark, TurnOver } from "../agents/parsed.ts";
import { outcomeOfResult } from "../domain/session/turn.ts";
import { shortText } from "../domain/short-value.ts";
import { MOST_WORDS } from "../domain/supervise/short-signal.ts";
import type { TurnEvent } from "./decide-parsed.ts";

export interface TurnCount {
  readonly number: number;
  readonly isOpen: boolean;
}

/**
 * Counts the turns of one transcript, from its beginning. Number and id of a turn depend on nothing but its place in
 * the file: a daemon that reads the file again makes the same events, and the store keeps each once.
 */
export class TranscriptTurns {
  readonly #key: string;
  #number = 0;
  #isOpen = false;
  #known = 0;

  constructor(key: string) {
    this.#key = key;
  }

  /** Goes on where an earlier reader of the file stopped. Other files of the session may have more turns by now. */
  restore({ number, isOpen }: TurnCount, known = 0): void {
    this.#number = number;
    this.#isOpen = isOpen;
    this.#known = known;
  }

  get count(): TurnCount {
    return { number: this.#number, isOpen: this.#isOpen };
  }

  /** The events of a mark. A turn that nothing ended is over when the next one begins. */
  mark({ over, isBegun }: TurnMark): TurnEvent[] {
    const ends = over || isBegun ? this.end(over ?? { result: null, why: null }) : [];
    this.#isOpen = isBegun === true;
    if (!isBegun) return ends;
    this.#number = Math.max(this.#number, this.#known) + 1;
    const number = this.#number;
    const body = (generation: number) => ({ kind: "turn_began", number, generation, by: "agent" }) as const;
    return [...ends, { id: `${this.#key}-turn-${number}-began`, body }];
  }

  /** The end of the open turn. It stays open here until the transcript says so: a file is read the same each time. */
  end({ result, why }: TurnOver): TurnEvent[] {
    if (!this.#isOpen) return [];
    const number = this.#number;
    const outcome = result === null ? null : outcomeOfResult(result);
    const error = why === null ? null : shortText(why, MOST_WORDS);
    const body = (generation: number) =>
      ({ kind: "turn_ended", number, generation, outcome, error }) as const;
    return [{ id: `${this.#key}-turn-${number}-ended`, body }];
  }
}
