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
  let rest: Buffer[] = [];
  let restBytes = 0;
  let offset = 0;
  for await (const chunk of chunksOf(fd, path, 0)) {
    const end = chunk.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      const isTooLong = restBytes > LONGEST_LINE;
      const whole =
        rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([...rest, chunk.subarray(0, end)]);
      // A line that is too long keeps only its end.
      const from = isTooLong ? whole.indexOf(LINE_END) + 1 : 0;
      const dropped = restBytes - (whole.length - end);
      yield linesIn(whole, { wanted, from, base: offset + dropped });
      offset += restBytes + end;
      rest = [];
      restBytes = 0;
    }
    if (end < chunk.length) rest.push(Buffer.from(chunk.subarray(end)));
    restBytes += chunk.length - end;
    if (restBytes > LONGEST_LINE) rest = [];
  }
}

interface Search {
  readonly wanted: readonly Buffer[];
  readonly from: number;
  /** The offset of the first byte. */
  readonly base: number;
}

function linesIn(whole: Buffer, { wanted, from, base }: Search): WantedLine[] {
  const lines: WantedLine[] = [];
  const next = wanted.map((mark) => placeOf(whole, mark, from));
  for (let at = Math.min(...next); at < whole.length; at = Math.min(...next)) {
    const begin = whole.lastIndexOf(LINE_END, at) + 1;
    const end = whole.indexOf(LINE_END, at);
    lines.push({ text: whole.toString("utf8", begin, end), offset: base + end + 1 });
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
