/** Decodes chunks that may cut a character anywhere, and knows how many bytes wait for the rest of theirs. */
export class Utf8Chunks {
  #tail: Buffer = Buffer.alloc(0);

  get waiting(): number {
    return this.#tail.length;
  }

  push(bytes: Buffer): string {
    const all = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes]);
    const whole = all.length - incompleteTail(all);
    this.#tail = Buffer.from(all.subarray(whole));
    return all.toString("utf8", 0, whole);
  }

  end(): string {
    const rest = this.#tail.toString("utf8");
    this.#tail = Buffer.alloc(0);
    return rest;
  }
}

/** How many bytes at the end begin a character that is not whole. */
export function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back;
    if (isContinuation(bytes[at])) continue;
    return at + lengthAt(bytes, at) === bytes.length && wantedBy(bytes[at]) > back ? back : 0;
  }
  return 0;
}

/** How many of the bytes a text was decoded from became its first characters. What is no UTF-8 counts as it was. */
export function bytesOfStart(bytes: Buffer, start: string): number {
  if (!start.includes("\uFFFD")) return Buffer.byteLength(start);
  let at = 0;
  for (const _ of start) at += lengthAt(bytes, at);
  return at;
}

/** The length of one character, or of a part that a decoder replaces as one: as much of a character as is well-formed. */
function lengthAt(bytes: Buffer, at: number): number {
  const wanted = wantedBy(bytes[at]);
  let length = 1;
  while (length < wanted && isNext(bytes, at, length)) length += 1;
  return length;
}

function isNext(bytes: Buffer, at: number, length: number): boolean {
  const [first = 0, byte = 0] = [bytes[at], bytes[at + length]];
  if (!isContinuation(byte)) return false;
  if (length > 1) return true;
  // Overlong forms, surrogates and what lies beyond Unicode are no characters.
  if (first === 0xe0) return byte >= 0xa0;
  if (first === 0xed) return byte < 0xa0;
  if (first === 0xf0) return byte >= 0x90;
  return first !== 0xf4 || byte < 0x90;
}

function wantedBy(first = 0): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
