interface Piece {
  readonly at: number;
  readonly bytes: Buffer;
}

/** Pieces of output that wait, each with its place: others between them may be gone already. */
export class PendingBytes {
  #pieces: Piece[] = [];

  add(at: number, bytes: Buffer): void {
    if (bytes.length > 0) this.#pieces.push({ at, bytes });
  }

  /** The place of the first byte; undefined where none waits. */
  get at(): number | undefined {
    return this.#pieces[0]?.at;
  }

  get bytes(): Buffer {
    const [first, ...more] = this.#pieces;
    if (!first) return Buffer.alloc(0);
    return more.length === 0 ? first.bytes : Buffer.concat(this.#pieces.map(({ bytes }) => bytes));
  }

  /** Lets so many of the first go. Copies the rest: whoever gave it may use the room again. */
  take(count: number): void {
    let left = count;
    const rest: Piece[] = [];
    for (const { at, bytes } of this.#pieces) {
      const gone = Math.min(left, bytes.length);
      left -= gone;
      if (gone < bytes.length) rest.push({ at: at + gone, bytes: Buffer.from(bytes.subarray(gone)) });
    }
    this.#pieces = rest;
  }

  clear(): void {
    this.#pieces = [];
  }
}
