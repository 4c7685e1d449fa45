/** Raised when an older client or daemon could misunderstand the other. */
export const PROTOCOL = 1;

/** The lines of the socket, one JSON object each. The daemon's first line says who it is. */
export interface Greeting {
  readonly rollcall: { readonly version: string; readonly protocol: number; readonly pid: number };
}

export interface Call {
  readonly id: number;
  readonly operation: string;
  readonly input: unknown;
  /** The caller's own pid: a socket does not tell it. */
  readonly pid?: number;
}

export type Answer =
  | { readonly id: number; readonly result: unknown }
  | {
      readonly id: number;
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly hint: string | null;
        readonly facts: Readonly<Record<string, unknown>>;
      };
    };

/** More than any call needs; a line beyond it ends the connection. */
export const LONGEST_LINE = 16 * 1024 * 1024;

/** Splits a stream into lines. Throws where one is too long to be ours. */
export class LineReader {
  #parts: string[] = [];
  #length = 0;

  push(chunk: string): string[] {
    const pieces = chunk.split("\n");
    const rest = pieces.pop() as string;
    const lines = pieces.map((piece, index) => (index === 0 ? this.#take(piece) : piece));
    this.#parts.push(rest);
    this.#length += rest.length;
    if (this.#length > LONGEST_LINE) throw new Error("A line is too long.");
    return lines;
  }

  #take(last: string): string {
    const line = this.#parts.join("") + last;
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
