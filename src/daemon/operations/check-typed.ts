import { RollcallError } from "../../domain/errors.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** For every text that someone gives to an agent: at a terminal a control character is a key, and may end it. */
export function checkTyped(text: string): void {
  if (text === "") throw new RollcallError("bad_input", "The text is empty; there is nothing to give.");
  if (!CONTROL.test(text)) return;
  throw new RollcallError("bad_input", "The text has control characters, which are never typed.", {
    hint: "Press keys with `rollcall keys ID KEY…`.",
  });
}
