import { shows } from "../domain/screen/same-text.ts";
import type { Entry } from "../domain/transcript/entry.ts";
import type { Rollcall } from "./rollcall.ts";

export interface AnswerRange {
  /** Only what was said after this seq. */
  readonly after: number;
  /** And not in a turn behind this one. */
  readonly turn: number | null;
  /** The text that it answers: a transcript may be ahead of the turns, with words of the turns before and behind it. */
  readonly text?: string | undefined;
  /** All that was printed last in one piece counts, as for a command whose output is its transcript. */
  readonly joins: boolean;
}

/** The last words of the agent in this range; null where it said nothing. */
export async function lastAnswer(rollcall: Rollcall, id: string, range: AnswerRange): Promise<string | null> {
  const pieces: string[] = [];
  let isOpen = false;
  let isGiven = false;
  for await (const { body } of rollcall.events(id, { after: range.after })) {
    if (body.kind === "turn_began" && range.turn !== null && body.number > range.turn) break;
    if (body.kind !== "entry_added") continue;
    const isOwn: boolean = !isGiven && isText(body.entry, range.text);
    if (isGiven && body.opensTurn) break;
    if (isOwn && body.opensTurn) pieces.length = 0;
    isGiven ||= isOwn;
    const isSaid = isAnswer(body.entry);
    if (isSaid && !(isOpen && range.joins)) pieces.length = 0;
    if (isSaid) pieces.push(body.entry.text ?? "");
    isOpen = isSaid || (isOpen && body.entry.name === "stderr");
  }
  return pieces.length === 0 ? null : pieces.join("");
}

/** Whether a user said this, but for its blanks. */
function isText({ role, text }: Pick<Entry, "role" | "text">, given: string | undefined): boolean {
  return role === "user" && text !== null && given !== undefined && shows(text, given) && shows(given, text);
}

function isAnswer({ role, kind, text, name }: Pick<Entry, "role" | "kind" | "text" | "name">): boolean {
  return role === "assistant" && kind === "text" && text !== null && name !== "stderr";
}
