/** Control sequences, control strings and single escapes that begin with ESC. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it takes out.
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_X][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|[ -/]*[0-~])/g;
/** The same with one of the 8-bit codes (C1). */
const EIGHT_BIT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it takes out.
  /\u009b[0-?]*[ -/]*[@-~]|[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g;
/** Everything else that acts on a terminal, but for tab, line feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** Without ESC and C1 no sequence is left, however deep they were nested: a bound keeps it linear. */
const MOST_PASSES = 8;

/** The text in a terminal's output, without its effects: no escape sequences or control codes, line ends as in a file. */
export function plainText(text: string): string {
  return untilUnchanged(text, [ESCAPES, EIGHT_BIT]).replace(CONTROLS, "").replaceAll("\r\n", "\n");
}

/** Leaves C1 codes and a lone ESC as they are. */
export function withoutEscapes(text: string): string {
  return untilUnchanged(text, [ESCAPES]);
}

/** Taking one out can build another from what stood around it. */
function untilUnchanged(text: string, patterns: readonly RegExp[]): string {
  let before = text;
  for (let passes = 0; passes < MOST_PASSES; passes++) {
    const after = patterns.reduce((left, pattern) => left.replace(pattern, ""), before);
    if (after === before) break;
    before = after;
  }
  return before;
}
