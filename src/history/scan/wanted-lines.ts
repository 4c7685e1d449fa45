import { chunksOf, LINE_END, LONGEST_LINE } from "../readers/line-reader.ts";

/** A line with the offset behind it. */
export interface WantedLine {
  readonly text: string;
  readonly offset: number;
}

/** Reads the whole lines of an open file that hold one of these marks; no other line is even decoded. */
export async function* wantedLines(
  fd: number,
  path: string,
  marks: readonly string[],
): AsyncGenerator<readonly WantedLine[]> {
  const wanted = marks.map((mark) => Buffer.from(mark));
  const cut = new CutLine();
  let offset = 0;
  for await (const chunk of chunksOf(fd, path, 0)) {
    const first = chunk.indexOf(LINE_END) + 1;
    const end = chunk.lastIndexOf(LINE_END) + 1;
    if (first > 0) {
      const line = cut.endWith(chunk.subarray(0, first));
      if (line !== undefined) yield linesIn(line, wanted, offset + first - line.length);
      yield linesIn(chunk.subarray(first, end), wanted, offset + first);
    }
    if (end < chunk.length) cut.add(chunk.subarray(end));
    offset += chunk.length;
  }
}

/** The beginning of a line that goes on in the next chunk. */
class CutLine {
  #parts: Buffer[] = [];
  #bytes = 0;

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > LONGEST_LINE) this.#parts = [];
    else this.#parts.push(Buffer.from(part));
  }

  /** The whole line; undefined for one that is longer than anything an agent writes. */
  endWith(last: Buffer): Buffer | undefined {
    const [parts, length] = [this.#parts, this.#bytes + last.length];
    this.#parts = [];
    this.#bytes = 0;
    if (length > LONGEST_LINE) return undefined;
    return parts.length === 0 ? last : Buffer.concat([...parts, last]);
  }
}

/** The lines with a mark among whole lines, of which the first begins at this offset. */
function linesIn(whole: Buffer, wanted: readonly Buffer[], offset: number): WantedLine[] {
  const lines: WantedLine[] = [];
  const next = wanted.map((mark) => placeOf(whole, mark, 0));
  for (let at = Math.min(...next); at < whole.length; at = Math.min(...next)) {
    const begin = whole.lastIndexOf(LINE_END, at) + 1;
    const end = whole.indexOf(LINE_END, at);
    lines.push({ text: whole.toString("utf8", begin, end), offset: offset + end + 1 });
    for (const [index, mark] of wanted.entries())
      if ((next[index] as number) < end) next[index] = placeOf(whole, mark, end + 1);
  }
  return lines;
}

/** Behind the end where it is not there. */
function placeOf(whole: Buffer, mark: Buffer, from: number): number {
  const place = whole.indexOf(mark, from);
  return place < 0 ? whole.length : place;
}
