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

/** Makes whole frames of chunks that are cut anywhere. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #length = 0;
  #needed = HEADER_BYTES;

  /** The frames that this chunk completes. Throws where the bytes cannot be a holder's. */
  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    // Joined only when a frame is whole: a large one comes in many chunks.
    if (this.#length < this.#needed) return [];
    return this.#take(this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#length));
  }

  #take(bytes: Buffer): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    this.#needed = HEADER_BYTES;
    while (bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUInt32LE(at + 1);
      if (length > MOST_BYTES) throw new Error(`A holder never sends a frame of ${length} bytes.`);
      this.#needed = HEADER_BYTES + length;
      if (bytes.length - at < this.#needed) break;
      const payload = bytes.subarray(at + HEADER_BYTES, at + this.#needed);
      frames.push({ type: bytes.toString("latin1", at, at + 1), payload });
      at += this.#needed;
      this.#needed = HEADER_BYTES;
    }
    const rest = bytes.subarray(at);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return frames;
  }
}
