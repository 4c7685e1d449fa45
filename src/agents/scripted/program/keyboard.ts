import { type Key, KeyReader } from "./keys.ts";

/** The rest of an escape sequence follows within this time; later bytes do not belong to the ESC. */
const ESCAPE_MS = 50;

/** The terminal's input, as keys. */
export class Keyboard {
  readonly #keys = new KeyReader();
  readonly #press: (keys: readonly Key[]) => void;
  #flush: NodeJS.Timeout | undefined;

  constructor(press: (keys: readonly Key[]) => void) {
    this.#press = press;
    process.stdin.setRawMode(true);
    process.stdin.setEncoding("utf8");
  }

  listen(lost: () => void): void {
    process.stdin.on("data", (text: string) => this.#read(text));
    process.stdin.once("error", lost).once("end", lost);
  }

  stop(): void {
    process.stdin.pause();
  }

  close(): void {
    process.stdin.setRawMode(false);
  }

  #read(text: string): void {
    clearTimeout(this.#flush);
    this.#press(this.#keys.push(text));
    if (this.#keys.isPending) this.#flush = setTimeout(() => this.#press(this.#keys.flush()), ESCAPE_MS);
  }
}
