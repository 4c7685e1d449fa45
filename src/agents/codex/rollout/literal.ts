import type { Json } from "../../../domain/json.ts";

/**
 * The value of the JavaScript literal that a text begins with; undefined where it is none, or not one alone. To its newer
 * models Codex offers tools only inside of a script, and what they mostly write is one call with literals.
 */
export function literalIn(text: string): Json | undefined {
  try {
    return new Reader(text).value();
  } catch (error) {
    if (error instanceof NotLiteral) return undefined;
    throw error;
  }
}

class NotLiteral extends Error {}

const TEXT = /(?:"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\$]|\\[\s\S])*`)/y;
const WORD = /(?:true|false|null|-?\d+(?:\.\d+)?)(?![\w.])/y;
const NAME = /[A-Za-z_$][\w$]*/y;
const BLANKS = /\s*/y;
const MOST_DEPTH = 20;

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v" };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth = 0): Json {
    if (depth > MOST_DEPTH) throw new NotLiteral();
    if (this.#takes("{")) return this.#object(depth + 1);
    if (this.#takes("[")) return this.#list(depth + 1);
    const text = this.#match(TEXT);
    if (text !== undefined) return unquoted(text);
    const word = this.#match(WORD);
    if (word === undefined) throw new NotLiteral();
    return JSON.parse(word) as Json;
  }

  #object(depth: number): Json {
    const entries: [string, Json][] = [];
    while (!this.#takes("}")) {
      const quoted = this.#match(TEXT);
      const name = quoted === undefined ? this.#match(NAME) : unquoted(quoted);
      if (name === undefined || !this.#takes(":")) throw new NotLiteral();
      entries.push([name, this.value(depth)]);
      if (!this.#takes(",") && !this.#sees("}")) throw new NotLiteral();
    }
    return Object.fromEntries(entries);
  }

  #list(depth: number): Json {
    const values: Json[] = [];
    while (!this.#takes("]")) {
      values.push(this.value(depth));
      if (!this.#takes(",") && !this.#sees("]")) throw new NotLiteral();
    }
    return values;
  }

  #sees(sign: string): boolean {
    this.#match(BLANKS);
    return this.#text.startsWith(sign, this.#at);
  }

  #takes(sign: string): boolean {
    if (!this.#sees(sign)) return false;
    this.#at += sign.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    if (pattern !== BLANKS) this.#match(BLANKS);
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replace(/\\(u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|\r?\n|[\s\S])/gi, (_, escaped) => {
      const code = /^[ux]\{?([\da-f]+)/i.exec(escaped)?.[1];
      if (code !== undefined) return character(code);
      return escaped.endsWith("\n") ? "" : (ESCAPES[escaped] ?? escaped);
    });
}

function character(hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) throw new NotLiteral();
  return String.fromCodePoint(code);
}
