import { show } from "../check.ts";
import { RollcallError } from "../errors.ts";

/**
 * A place in a transcript: behind the entry `seq` for a reader who goes on after it, in front of it for one who goes
 * back. With an offset, a place inside that entry. Written `SEQ` or `SEQ.OFFSET`.
 */
export interface EntryCursor {
  readonly seq: number;
  readonly offset?: number;
}

export const CURSOR_PATTERN = /^(\d{1,15})(?:\.(\d{1,15}))?$/;

export function parseCursor(text: string, what: string): EntryCursor {
  const match = CURSOR_PATTERN.exec(text);
  if (!match)
    throw new RollcallError("bad_input", `${show(text)} is not a cursor for ${what}.`, {
      hint: "Give one that `data` answered as before or after, or a seq.",
    });
  const [, seq, offset] = match;
  return { seq: Number(seq), ...(offset === undefined ? {} : { offset: Number(offset) }) };
}

export function cursorText({ seq, offset }: EntryCursor): string {
  return offset === undefined ? String(seq) : `${seq}.${offset}`;
}
