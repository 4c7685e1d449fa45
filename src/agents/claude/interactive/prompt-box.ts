/** Two rules with what is typed between them; behind a `!` it is a command for the shell. */
const BOX = /^─{20,}[^\n]*\n([❯!](?:[^\n]*\n)+?)─{20,}/gmu;
/** The texts in an empty box. */
const PLACEHOLDER = /^(?:Try ".*|Press up to edit queued messages)$/u;

const TO_START = "\u0015";
const TO_END = "\u000b";
const BACKSPACE = "\u007f";

/** Each key deletes a line, or the end of one; lines beyond those on the screen are deleted the next time. */
export function emptyBox(screen: string): string | undefined {
  const box = [...screen.matchAll(BOX)].at(-1)?.[1];
  if (box === undefined) return undefined;
  const text = box.slice(1).trim();
  const isShell = box.startsWith("!");
  if (!isShell && (text === "" || PLACEHOLDER.test(text))) return undefined;
  const count = 2 * text.split("\n").length;
  return TO_START.repeat(count) + TO_END.repeat(count) + (isShell ? BACKSPACE : "");
}
