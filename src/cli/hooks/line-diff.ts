/** Unchanged lines that are shown before and after a change. */
const AROUND = 3;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
  /** Where the line stands, or would stand, in the two texts. */
  readonly before: number;
  readonly after: number;
}

/** The difference of two texts by lines, as `diff -u` shows it; empty if they are equal. */
export function lineDiff(before: string, after: string): string[] {
  const lines = compare(linesOf(before), linesOf(after));
  return hunksOf(lines).flatMap((hunk) => [headOf(hunk), ...hunk.map(({ mark, text }) => mark + text)]);
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split(/\r?\n/);
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  const common = commonLengths(before, after);
  const lines: Line[] = [];
  for (let b = 0, a = 0; b < before.length || a < after.length; ) {
    const place = { before: b + 1, after: a + 1 };
    const isBehind = a === after.length || (common[b + 1]?.[a] ?? -1) >= (common[b]?.[a + 1] ?? 0);
    if (b < before.length && before[b] === after[a]) {
      lines.push({ mark: " ", text: before[b] as string, ...place });
      b++;
      a++;
    } else if (b < before.length && isBehind)
      lines.push({ mark: "-", text: before[b++] as string, ...place });
    else lines.push({ mark: "+", text: after[a++] as string, ...place });
  }
  return lines;
}

/** How many lines the rests of the two texts have in common, from each pair of places on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let b = before.length - 1; b >= 0; b--) {
    const [row, next] = [lengths[b], lengths[b + 1]] as [Uint32Array, Uint32Array];
    for (let a = after.length - 1; a >= 0; a--)
      row[a] =
        before[b] === after[a]
          ? (next[a + 1] as number) + 1
          : Math.max(next[a] as number, row[a + 1] as number);
  }
  return lengths;
}

/** Changes with the lines around them; those that would touch are one. */
function hunksOf(lines: readonly Line[]): Line[][] {
  const hunks: Line[][] = [];
  let shownTo = -1;
  for (const [index, { mark }] of lines.entries()) {
    if (mark === " ") continue;
    const from = Math.max(index - AROUND, shownTo + 1);
    const to = Math.min(index + AROUND, lines.length - 1);
    const shown = lines.slice(from, to + 1);
    if (from === shownTo + 1 && hunks.length > 0) hunks.at(-1)?.push(...shown);
    else hunks.push(shown);
    shownTo = to;
  }
  return hunks;
}

function headOf(hunk: readonly Line[]): string {
  const count = (mark: Line["mark"]) => hunk.filter((line) => line.mark !== mark).length;
  const { before, after } = hunk[0] as Line;
  return `@@ -${before},${count("+")} +${after},${count("-")} @@`;
}
