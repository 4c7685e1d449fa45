import { isTerminal } from "./output.ts";

/** A running count on standard error, for work that takes long; only where a person looks. */
export class Progress implements Disposable {
  readonly #what: string;
  readonly #isShown = isTerminal(2);
  #last = 0;
  #hasDrawn = false;

  constructor(what: string) {
    this.#what = what;
  }

  show(done: number, of?: number): void {
    const now = Date.now();
    if (!this.#isShown || (now - this.#last < 100 && done !== of)) return;
    this.#last = now;
    this.#hasDrawn = true;
    process.stderr.write(
      `\r\u001b[K${of === undefined ? `${done} ${this.#what}` : `${bar(done, of)} ${done}/${of} ${this.#what}`}`,
    );
  }

  [Symbol.dispose](): void {
    if (this.#hasDrawn) process.stderr.write("\r\u001b[K");
  }
}

const WIDTH = 24;

function bar(done: number, of: number): string {
  const full = of === 0 ? WIDTH : Math.round((done / of) * WIDTH);
  return `[${"#".repeat(full)}${" ".repeat(WIDTH - full)}]`;
}
