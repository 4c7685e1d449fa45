/** Whether an agent shows a text that was given to it. Blanks are its own: it wraps, trims and joins as it likes. */
export function shows(shown: string, given: string): boolean {
  return withoutBlanks(shown).includes(withoutBlanks(given));
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/gu, "");
}
