/** A text as a bracketed paste, so that a newline in it does not send it, and nothing in it ends the paste early. */
export function pasteBytes(text: string): string {
  return `\u001b[200~${text.replaceAll("\u001b", "")}\u001b[201~`;
}
