import { withoutEscapes } from "../domain/plain-text.ts";

/**
 * Characters that act on a terminal, change the direction of what is written, or cannot be seen. Made when first needed:
 * looking up the properties takes half a millisecond, which a call for a program need not pay.
 */
const unsafe = () => /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** The same without what only misleads people: ESC and other controls, C1 among them. */
const CONTROL = /\p{Cc}/gu;

/** Text from agents and users, made safe to show: what would act on the terminal or hide something is written out. */
export function printable(text: string): string {
  return text.replace(unsafe(), (character, at: number) => {
    if (character === "\n") return " ";
    return isPartOfEmoji(text, at) ? character : writtenOut(character);
  });
}

/** The same for text of several lines; to JSON the characters that are written out mean what they meant. */
export function printableLines(text: string): string {
  return text.replace(unsafe(), (character, at: number) => {
    if (character === "\n" || character === "\t") return character;
    return isPartOfEmoji(text, at) ? character : writtenOut(character);
  });
}

/** For a pipe, which may end at a terminal: no escape sequence is left in it. JSON means what it meant. */
export function pipeable(text: string): string {
  return withoutEscapes(text).replace(CONTROL, (character) => {
    if (character === "\n" || character === "\t" || character === "\r") return character;
    return character < "\u007f" ? "" : writtenOut(character);
  });
}

/** A joiner between two pictures, or the selector behind one, hides nothing. */
function isPartOfEmoji(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (text[at] === "\ufe0f" || text[at] === "\ufe0e") return /[\p{Extended_Pictographic}\d#*]$/u.test(before);
  const isJoined = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before);
  return text[at] === "\u200d" && isJoined && /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));
}

/** As JSON does: a character beyond the first plane in two parts. */
function writtenOut(character: string): string {
  const parts = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return parts.map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("");
}

/** How many columns a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columns(character.codePointAt(0) ?? 0);
  return width;
}

export function padTo(text: string, width: number): string {
  const missing = width - widthOf(text);
  return missing >= 0 ? text + " ".repeat(missing) : cut(text, width);
}

/** At most so many columns, with an ellipsis where something was left out. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const character of text) {
    used += columns(character.codePointAt(0) ?? 0);
    if (used > width - 1) break;
    kept += character;
  }
  return padTo(`${kept}…`, width);
}

function columns(code: number): number {
  if (code < 0x300) return 1;
  const character = String.fromCodePoint(code);
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) return 0;
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd) ||
    (code < 0x2e80 && /\p{Emoji_Presentation}/u.test(character));
  return isWide ? 2 : 1;
}
