/** Whether an agent shows a text that was given to it. Blanks are its own: it wraps, trims and joins as it likes. */
export function shows(shown: string, given: string): boolean {
  const [seen, said] = [withoutBlanks(shown), withoutBlanks(given)];
  const isCut = seen.endsWith("…") && seen.length > SHORTEST_CUT;
  return seen.includes(said) || (isCut && said.startsWith(seen.slice(0, -1)));
}

/** A text that is too long for its place is cut, and ends in an ellipsis; of a shorter one too little would be seen. */
const SHORTEST_CUT = 40;

function withoutBlanks(text: string): string {
  return text.replace(/\s+/gu, "");
}
