/** Control and direction characters that could act on a terminal or hide what is written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text from agents and users, made safe to show: what would act on the terminal is written out. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => (character === "\n" ? " " : writtenOut(character)));
}

/** The same for text of several lines; to JSON the characters that are written out mean what they meant. */
export function printableLines(text: string): string {
  return text.replace(UNSAFE, (character) =>
    character === "\n" || character === "\t" ? character : writtenOut(character),
  );
}

function writtenOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
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
