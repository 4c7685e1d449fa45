/** A frame of the holder's socket: one byte of type, four of length (little-endian), the payload. */
export interface Frame {
  readonly type: string;
  readonly payload: Buffer;
}

const HEADER_BYTES = 5;
/** More than any frame of a holder: beyond it the other side is no holder. */
const MOST_BYTES = 8 * 1024 * 1024;

export function encodeFrame(type: string, payload: Uint8Array | string = ""): Buffer {
  const body = typeof payload === "string" ? Buffer.from(payload) : payload;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  frame.write(type, 0, 1, "latin1");
  frame.writeUInt32LE(body.length, 1);
  frame.set(body, HEADER_BYTES);
  return frame;
}

/** Room for the words of a holder whose agent is quiet. */
const LEAST_ROOM = 4 * 1024;
/** Room that a flood needs: a piece of output, and as much of the next as is read at once. More is given back. */
const MOST_ROOM = 256 * 1024;

/**
 * Makes whole frames of chunks that are cut anywhere. They stand in room that is used again: a buffer for each would wait
 * for the collector, and fifty floods fill memory with them.
 */
export class FrameReader {
  #room = Buffer.allocUnsafeSlow(LEAST_ROOM);
  #begin = 0;
  #end = 0;

  /** Copies the chunk. The frames that were given out before are overwritten. */
  push(chunk: Uint8Array): Iterable<Frame> {
    this.#makeRoom(this.#end - this.#begin + chunk.length);
    this.#room.set(chunk, this.#end);
    this.#end += chunk.length;
    return this.frames();
  }

  /** Takes out the whole frames, one after the other. Throws where the bytes cannot be a holder's. */
  *frames(): Generator<Frame, void, void> {
    for (let frame = this.#next(); frame; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    const room = this.#room;
    const [type, start] = [this.#begin, this.#begin + HEADER_BYTES];
    if (this.#end < start) return undefined;
    const length = room.readUInt32LE(type + 1);
    if (length > MOST_BYTES) throw new Error(`A holder never sends a frame of ${length} bytes.`);
    if (this.#end < start + length) return undefined;
    this.#begin = start + length;
    return { type: room.toString("latin1", type, type + 1), payload: room.subarray(start, this.#begin) };
  }

  #makeRoom(bytes: number): void {
    const held = this.#room.subarray(this.#begin, this.#end);
    const isTooLarge = this.#room.length > MOST_ROOM && bytes <= MOST_ROOM;
    if (bytes > this.#room.length || isTooLarge) {
      this.#room = Buffer.allocUnsafeSlow(Math.max(LEAST_ROOM, 2 ** Math.ceil(Math.log2(bytes))));
      this.#room.set(held);
    } else if (this.#begin > 0) this.#room.copyWithin(0, this.#begin, this.#end);
    this.#begin = 0;
    this.#end = held.length;
  }
}
