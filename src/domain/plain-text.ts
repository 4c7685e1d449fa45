// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it takes out.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/** What a terminal's output says, without what it does: no escape sequences, line ends as in a file. */
export function plainText(text: string): string {
  return text.replace(ESCAPES, "").replaceAll("\r\n", "\n");
}
