import { detachedText } from "../detached-text.ts";
import { type Redactor, replaceSecrets } from "./redact.ts";
import { LONGEST_CONTEXT } from "./secret-shapes.ts";

/**
 * Redacts a stream of text whose chunks may cut a secret anywhere. Holds back only what could still become a secret:
 * the start of a token (4 KB at most), of a private key block (16 KB), of a registered value or of an escape sequence.
 */
export class RedactingStream {
  readonly #redactor: Redactor;
  /** The last text given out, which may introduce a secret, and then the text held back. */
  #window = "";
  #given = 0;

  /** `before` was given out earlier and may introduce a secret. */
  constructor(redactor: Redactor, before = "") {
    this.#redactor = redactor;
    this.#window = detachedText(before);
    this.#given = before.length;
  }

  push(chunk: string): string {
    this.#window += chunk;
    return this.#giveUpTo(this.#redactor.open(this.#window));
  }

  /** Text that came in and was not given out yet, as it came. */
  get held(): string {
    return this.#window.slice(this.#given);
  }

  /** Gives out the text that was held back. The stream can be used again, and knows nothing of what came before. */
  end(): string {
    const rest = this.#giveUpTo(this.#window.length);
    this.#window = "";
    this.#given = 0;
    return rest;
  }

  #giveUpTo(limit: number): string {
    const found = this.#redactor.find(this.#window);
    const cut = found.find(({ start, end }) => start < limit && limit < end)?.start ?? limit;
    const from = this.#given;
    if (cut <= from) return "";
    const given = found
      .filter(({ start, end }) => end > from && start < cut)
      .map(({ start, end, kind }) => ({ start: Math.max(start - from, 0), end: end - from, kind }));
    const result = replaceSecrets(this.#window.slice(from, cut), given, this.#redactor.find);
    this.#forgetBefore(cut);
    return result;
  }

  #forgetBefore(cut: number): void {
    const kept = Math.min(cut, this.#window.includes("\x1b") ? 16 * LONGEST_CONTEXT : LONGEST_CONTEXT);
    this.#window = detachedText(this.#window.slice(cut - kept));
    this.#given = kept;
  }
}
