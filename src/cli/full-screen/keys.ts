import { StringDecoder } from "node:string_decoder";

const NAMED = [
  "up",
  "down",
  "left",
  "right",
  "first",
  "last",
  "enter",
  "escape",
  "backspace",
  "clear",
  "leave",
] as const;

/** A key of a name, one that writes a character, or a text that was pasted. */
export type Key = (typeof NAMED)[number] | { readonly text: string } | { readonly pasted: string };

const SEQUENCES: Readonly<Record<string, Key>> = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  "\u001b[C": "right",
  "\u001bOC": "right",
  "\u001b[D": "left",
  "\u001bOD": "left",
  "\u001b[H": "first",
  "\u001bOH": "first",
  "\u001b[1~": "first",
  "\u001b[F": "last",
  "\u001bOF": "last",
  "\u001b[4~": "last",
  "\u001b": "escape",
  "\r": "enter",
  "\n": "enter",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "first",
  "\u0005": "last",
  "\u0015": "clear",
  "\u0003": "leave",
  "\u0004": "leave",
};

const PASTE_BEGIN = "\u001b[200~";
const PASTE_END = "\u001b[201~";

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys arrive as control characters.
const PIECES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.)?|./gsu;

/** Reads the keys in what a terminal sends. A text that is pasted is one key, however it arrives. */
export class KeyReader {
  readonly #decoder = new StringDecoder("utf8");
  #paste: string | undefined;

  /** Keys that mean nothing here are left out. */
  read(bytes: Buffer): Key[] {
    return this.#keysIn(this.#decoder.write(bytes));
  }

  #keysIn(sent: string): Key[] {
    if (this.#paste !== undefined) return this.#goOn(this.#paste + sent);
    const at = sent.indexOf(PASTE_BEGIN);
    if (at < 0) return typed(sent);
    return [...typed(sent.slice(0, at)), ...this.#goOn(sent.slice(at + PASTE_BEGIN.length))];
  }

  #goOn(pasted: string): Key[] {
    const end = pasted.indexOf(PASTE_END);
    this.#paste = end < 0 ? pasted : undefined;
    if (end < 0) return [];
    const text = pasted.slice(0, end).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    return [{ pasted: text }, ...this.#keysIn(pasted.slice(end + PASTE_END.length))];
  }
}

function typed(sent: string): Key[] {
  return (sent.match(PIECES) ?? []).flatMap((piece) => {
    const key = SEQUENCES[piece];
    if (key !== undefined) return [key];
    return /^[^\p{Cc}]$/u.test(piece) ? [{ text: piece }] : [];
  });
}
