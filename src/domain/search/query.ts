import { RollcallError } from "../errors.ts";
import { tokensIn } from "./tokens.ts";

/** A word, or words that follow each other. */
export interface Phrase {
  /** As they were given, with a space between and nothing else. */
  readonly words: string;
  /** The same folded, in order. */
  readonly tokens: readonly string[];
  /** The last token is only the beginning of a word. */
  readonly isPrefix: boolean;
}

/** The words that a text must all have, and those that it must not have. */
export interface WordQuery {
  readonly wanted: readonly Phrase[];
  readonly unwanted: readonly Phrase[];
}

/**
 * Reads words, `"phrases"`, `begin*` and `-word` or `-"a phrase"`. Everything else is punctuation: no text is wrong but
 * one without a word to look for.
 */
export function parseWordQuery(text: string): WordQuery {
  const wanted: Phrase[] = [];
  const unwanted: Phrase[] = [];
  for (const [, minus, quoted, star, word = ""] of text.matchAll(PART)) {
    const phrase = phraseOf(quoted ?? word, quoted === undefined ? word.endsWith("*") : star === "*");
    if (phrase.tokens.length > 0) (minus === "-" ? unwanted : wanted).push(phrase);
  }
  if (wanted.length > 0) return { wanted, unwanted };
  throw new RollcallError("bad_input", "The search has no word to look for.", {
    hint: "Search for letters or digits; a word with - in front is one to leave out.",
  });
}

/** A quote that nobody closed is punctuation. Only a single dash right before a word leaves it out. */
const PART = /(?<!\S)(-(?=["\p{L}\p{N}]))?(?:"([^"]*)"(\*?)|(\S+))/gu;

function phraseOf(text: string, isPrefix: boolean): Phrase {
  const tokens = [...tokensIn(text)];
  const words = tokens.map(({ from, to }) => text.slice(from, to)).join(" ");
  return { words, tokens: tokens.map(({ folded }) => folded), isPrefix };
}
