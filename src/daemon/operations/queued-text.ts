import { shows } from "../../domain/screen/same-text.ts";
import type { SessionEvent } from "../../domain/session/event.ts";
import { isEnded } from "../../domain/session/state.ts";
import { newState } from "../../domain/supervise/news.ts";

/** A text that was given while the agent had other work, and the turn in which it was given, if one was open. */
export interface Given {
  readonly seq: number;
  readonly text: string;
  readonly turn: number | null;
}

/**
 * Follows the events of a session to the turn that a queued text belongs to. Transcript and state run ahead of each
 * other: the text may show while an earlier turn is still open. Both keep their order, so that the texts that open turns
 * are counted from one whose turn is known.
 */
export class QueuedText {
  readonly #given: Given;
  #isBefore = true;
  /** The newest text before it that began a turn by itself, and how many have opened turns since it showed. */
  #known: { readonly text: string; readonly turn: number; opened: number | undefined } | undefined;
  /** Texts that others gave and that did not show yet. */
  #others: string[] = [];
  #open: number | null;
  #last: number;
  #isShown = false;
  /** Turns that were opened since it was given. */
  #openedSince = 0;
  /** The number of its turn, as it was counted. */
  #counted: number | undefined;
  /** The transcript is ahead of the state: the turn that it was given in is over, though not told yet. */
  #isNext = false;

  constructor(given: Given) {
    this.#given = given;
    this.#open = given.turn;
    this.#last = given.turn ?? 0;
  }

  /** The agent rests: no turn is open. */
  get isAtRest(): boolean {
    return !this.#isBefore && this.#open === null;
  }

  /** No turn has begun since. A text that showed belongs to the last one, which the agent told as one with its own. */
  get turnAtRest(): number | undefined {
    return this.#isShown ? this.#last : undefined;
  }

  /** Takes the events in their order, from some before the text on. Its turn, once that is known. */
  judge({ seq, body }: SessionEvent): number | undefined {
    if (seq >= this.#given.seq) this.#isBefore = false;
    if (body.kind === "turn_began") this.#last = this.#open = body.number;
    if (body.kind === "turn_ended" && body.number === this.#open) this.#open = null;
    if (body.kind === "input_given" && seq !== this.#given.seq) this.#noteOther(body);
    if (body.kind === "entry_added" && body.entry.role === "user")
      this.#noteEntry(body.entry.text ?? "", body.opensTurn === true);
    return this.#isBefore ? undefined : this.#settled(body);
  }

  #noteOther(body: Extract<SessionEvent["body"], { kind: "input_given" }>): void {
    if (body.by !== "send" && body.by !== "prompt") return;
    const begins = body.isQueued !== true && body.turn !== undefined;
    if (begins && this.#isBefore)
      this.#known = { text: body.text, turn: body.turn as number, opened: undefined };
    else if (this.#isBefore || !isSame(body.text, this.#given.text)) this.#others.push(body.text);
  }

  #noteEntry(text: string, opens: boolean): void {
    const known = this.#known;
    if (known && known.opened === undefined && isSame(text, known.text)) {
      known.opened = 0;
      return;
    }
    if (opens && known?.opened !== undefined) known.opened += 1;
    if (opens && !this.#isBefore) this.#openedSince += 1;
    const other = this.#others.findIndex((each) => isSame(text, each));
    if (other >= 0) this.#others.splice(other, 1);
    else if (!this.#isBefore && !this.#isShown && shows(text, this.#given.text)) {
      this.#isShown = true;
      // A turn that the agent began without a text is missing in the count.
      const least = (this.#given.turn ?? 0) + this.#openedSince - 1;
      if (opens && known?.opened !== undefined) this.#counted = Math.max(known.turn + known.opened, least);
      this.#isNext = opens && this.#open === this.#given.turn;
    }
  }

  #settled(body: SessionEvent["body"]): number | undefined {
    const state = newState(body);
    if (state === "unknown" || (state !== undefined && isEnded(state))) return this.#last;
    if (!this.#isShown) return undefined;
    if (this.#counted !== undefined) return this.#last >= this.#counted ? this.#counted : undefined;
    const isInGiven = this.#isNext && this.#open === this.#given.turn;
    return this.#open === null || isInGiven ? undefined : this.#open;
  }
}

function isSame(shown: string, given: string): boolean {
  return shows(shown, given) && shows(given, shown);
}
