/** A regular expression as a tree. */
export type PatternNode =
  | { readonly kind: "char"; readonly matches: (char: string) => boolean }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "all"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "any"; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly part: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    };

export type Place = "^" | "$" | "\\b" | "\\B";

/** A part of a pattern that cannot be matched in linear time. */
export class UnsupportedPattern extends Error {}

const GROUP = /\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/uy;
const PLACE = /\^|\$|\\[bB]/uy;
const BACK_REFERENCE = /\\(?:[1-9]|k<)/uy;
/** One character of the text: an escape, a class, or itself. */
const CHAR =
  /\\u\{[\da-f]+\}|\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\p\{[^}]*\}|\\c[a-z]|\\.|\[(?:\\.|[^\]\\])*\]|./isuy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})(\??)/uy;

/** The tree of a source that `RegExp` accepts with the flags `mu`: all that is left to find out is its structure. */
export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).alternatives();
}

class PatternParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: "any", parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] as string)) {
      parts.push(this.#quantified(this.#term()));
    }
    return { kind: "all", parts };
  }

  #term(): PatternNode {
    if (this.#take(GROUP)) {
      const inside = this.alternatives();
      this.#at++;
      return inside;
    }
    if (this.#source[this.#at] === "(")
      throw new UnsupportedPattern("looks ahead or behind, or changes flags");
    if (this.#take(BACK_REFERENCE)) throw new UnsupportedPattern("refers back to a group");
    const place = this.#take(PLACE);
    if (place) return { kind: "place", place: place[0] as Place };
    return { kind: "char", matches: charTest((this.#take(CHAR) as RegExpExecArray)[0]) };
  }

  #quantified(part: PatternNode): PatternNode {
    const found = this.#take(QUANTIFIER);
    if (!found) return part;
    const [text, from, comma, to, lazy] = found;
    const isLazy = lazy === "?";
    if (from === undefined)
      return {
        kind: "repeat",
        part,
        min: text[0] === "+" ? 1 : 0,
        max: text[0] === "?" ? 1 : Infinity,
        isLazy,
      };
    const max = comma === "" ? Number(from) : to === "" ? Infinity : Number(to);
    return { kind: "repeat", part, min: Number(from), max, isLazy };
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }
}

const SYNTAX = /^[.\\[]/u;

/** `RegExp` itself says what an escape or a class matches: on a single character it cannot take long. */
function charTest(source: string): (char: string) => boolean {
  if (!SYNTAX.test(source)) return (char) => char === source;
  const expression = new RegExp(`^${source}$`, "u");
  return (char) => expression.test(char);
}
