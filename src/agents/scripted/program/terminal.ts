import type { WriteStream } from "node:tty";

/** Lines that scroll, and one below them that is drawn again after each. */
export class Terminal {
  readonly #out: WriteStream;
  readonly #bottom: () => string;
  /** Whether a line is being added to. */
  isInLine = false;

  /** `bottom` says what the last line shows just now, given the columns there are. */
  constructor(out: WriteStream, bottom: (columns: number) => string) {
    this.#out = out;
    this.#bottom = () => bottom(out.columns - 1);
    out.on("resize", () => this.draw());
  }

  write(bytes: string): void {
    this.#out.write(bytes);
  }

  draw(): void {
    if (!this.isInLine) this.#out.write(`\r\x1b[2K${this.#bottom()}`);
  }

  print(text: string): void {
    this.endLine();
    this.#out.write(`\r\x1b[2K${text.replaceAll("\n", "\r\n")}\r\n${this.#bottom()}`);
  }

  /** Adds to a line that has no end yet; there is no last line meanwhile. */
  add(text: string): void {
    this.#out.write(this.isInLine ? ` ${text}` : `\r\x1b[2K${text}`);
    this.isInLine = true;
  }

  endLine(): void {
    if (!this.isInLine) return;
    this.isInLine = false;
    this.#out.write(`\r\n${this.#bottom()}`);
  }

  /** Bytes as they are, and the last line after them; resolves when the terminal took them. */
  async pour(text: string): Promise<void> {
    this.#out.write("\r\x1b[2K");
    await new Promise<void>((resolve) => this.#out.write(text, () => resolve()));
    // Keys are read between two pieces.
    await new Promise((resolve) => setImmediate(resolve));
    this.draw();
  }
}

/** The end of a text that fits, on one line. Other alphabets may take two columns. */
export function tail(text: string, columns: number): string {
  const chars = [...text.replaceAll("\n", "↵")];
  let left = columns;
  let from = chars.length;
  while (from > 0 && left >= width(chars[from - 1] as string)) left -= width(chars[--from] as string);
  return chars.slice(from).join("");
}

function width(char: string): number {
  return char < "\x7f" ? 1 : 2;
}
