/** What a person can ask for with a key. */
export type Key = "up" | "down" | "first" | "last" | "enter" | "leave" | { readonly text: string };

const SEQUENCES: Readonly<Record<string, Key>> = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  "\u001b[H": "first",
  "\u001bOH": "first",
  "\u001b[1~": "first",
  "\u001b[F": "last",
  "\u001bOF": "last",
  "\u001b[4~": "last",
  "\r": "enter",
  "\n": "enter",
  "\u0003": "leave",
  "\u0004": "leave",
};

const LETTERS: Readonly<Record<string, Key>> = { k: "up", j: "down", g: "first", G: "last", q: "leave" };

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys arrive as control characters.
const PIECES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.)?|./gsu;

/** The keys in what a terminal sent; what means nothing here is left out. */
export function keysOf(sent: string): Key[] {
  return (sent.match(PIECES) ?? []).flatMap((piece) => {
    const key = SEQUENCES[piece] ?? LETTERS[piece];
    if (key !== undefined) return [key];
    return piece.length === 1 && piece > " " && piece <= "~" ? [{ text: piece }] : [];
  });
}
