import { once } from "../once.ts";

/** A word of a text, as the search index sees it, and where it stands. */
export interface Token {
  readonly folded: string;
  readonly from: number;
  readonly to: number;
}

/** A letter of a script that puts no spaces between words is a word of its own, so that every word of theirs is a phrase. */
const LETTER = String.raw`(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]\p{M}*`;
const letters = once(() => new RegExp(LETTER, "gu"));
/** Nearly every text is without such letters, which this tells much faster. */
const MAY_HAVE_LETTERS = /[\u0e00-\uffff]/;
/** Letters, digits and private characters make a word; marks belong to the character before them. */
const WORD = String.raw`${LETTER}|[\p{L}\p{N}\p{Co}](?:(?!${LETTER})[\p{L}\p{N}\p{Co}\p{M}])*`;
const wordPattern = once(() => new RegExp(WORD, "gu"));

// biome-ignore lint/suspicious/noControlCharactersInRegex: the first half of the codes is what it tests for.
const ASCII = /^[\u0000-\u007f]*$/;

/** The words of a text in order, read as far as the caller goes. */
export function* tokensIn(text: string, from = 0): Iterable<Token> {
  const words = new RegExp(wordPattern());
  words.lastIndex = from;
  for (let match = words.exec(text); match !== null; match = words.exec(text))
    yield { folded: fold(match[0]), from: match.index, to: match.index + match[0].length };
}

/** The text for an index that takes words apart at spaces. */
export function spaced(text: string): string {
  return MAY_HAVE_LETTERS.test(text) ? text.replace(letters(), " $& ") : text;
}

/** Case and accents do not matter. */
function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC").toLowerCase();
}
