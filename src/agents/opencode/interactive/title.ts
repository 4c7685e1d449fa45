import { textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { openConversation } from "../calls.ts";
import { bornMsOf, nativeOf, type OpencodeMemory } from "../memory.ts";

/** The title of a terminal that shows no conversation, or one that has no name yet. */
const NO_CONVERSATION = "OpenCode";
const CONVERSATION = /^OC \| /u;

/**
 * A title shows that the terminal is up: only then can it show the conversation that is opened for this launch. One
 * that had the name of a conversation, and has it no more, was led to a new one.
 */
export function parseTitle(title: string, memory: OpencodeMemory): Parsed<OpencodeMemory> {
  if (CONVERSATION.test(title)) return { ...isShown(memory), memory: { isUp: true, isTitled: true } };
  if (title !== NO_CONVERSATION) return {};
  if (memory.isTitled === true) {
    if (isInTurn(memory)) return {};
    return isUnused(memory) ? { memory: { isTitled: false } } : openNew();
  }
  if (memory.isUp === true) return {};
  return nativeOf(memory) === null
    ? openConversation(memory)
    : { ...isShown(memory), memory: { isUp: true } };
}

/** Nothing takes the place of a conversation in mid-turn: its answer would be lost. A person who leaves it is followed by the next text. */
function isInTurn({ isBusy, hasText }: OpencodeMemory): boolean {
  return isBusy === true || hasText === true;
}

/** The conversation was made in this launch and has no text yet: it is what is shown without a name. */
function isUnused(memory: OpencodeMemory): boolean {
  return bornMsOf(memory) > 0 && textOf(memory.firstMessage ?? undefined) === null;
}

function openNew(): Parsed<OpencodeMemory> {
  const { reply, memory } = openConversation({});
  return {
    ...(reply ? { reply } : {}),
    memory: { ...memory, native: null, isTitled: false, isAskedAgain: false },
  };
}

/** A conversation that is taken up again tells nothing of itself before its first text. */
function isShown({ isUp }: OpencodeMemory): Parsed<OpencodeMemory> {
  if (isUp === true) return {};
  return { signal: { source: "terminal", rule: "title_shown", excerpt: null, says: "ready" } };
}
