import type { Deed, Target } from "../../deed.ts";
import { post } from "../calls.ts";
import { controls } from "../controls.ts";
import type { OpencodeMemory } from "../memory.ts";

/** Its terminal makes the conversation only with the next text, and shows meanwhile nothing that could be waited for. */
const BEGINS_ANEW = /^\/(?:new|clear)$/u;
const COMMAND = /^\/\w[^\n]*$/u;

/** A command of its terminal is typed there; to its server it would be a text for the model. */
export function saysItself(to: Target<OpencodeMemory>, text: string): Deed | undefined {
  if (BEGINS_ANEW.test(text)) return post("/session");
  return COMMAND.test(text) ? undefined : controls.say(to, text);
}
