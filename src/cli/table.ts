import { styleText } from "node:util";
import { isTerminal } from "./output.ts";
import { cut, padTo, printable, widthOf } from "./text.ts";

export type Style = Parameters<typeof styleText>[0];

export interface Column<T> {
  readonly title: string;
  readonly text: (row: T) => string;
  readonly style?: (row: T) => Style | undefined;
  /** May be cut when the terminal is narrow. */
  readonly isFlexible?: boolean;
  /** May be left out where cutting is not enough; the rightmost goes first. */
  readonly isOptional?: boolean;
  readonly isRight?: boolean;
}

const GAP = "  ";
/** Cut shorter than this, a text says little: a column that can be spared goes first. */
const READABLE = 14;
const NARROWEST = 8;

/** Aligned columns within the width of the terminal. Everything that is shown was made safe to show. */
export function table<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: { width: number; header: boolean },
): string[] {
  const cells = rows.map((row) => columns.map((column) => printable(column.text(row))));
  const wanted = columns.map((column, index) =>
    Math.max(options.header ? column.title.length : 0, ...cells.map((line) => widthOf(line[index] ?? ""))),
  );
  const leaveOut = superfluous(wanted, columns, options.width);
  if (leaveOut !== undefined)
    return table(
      rows,
      columns.filter((column) => column !== leaveOut),
      options,
    );
  const widths = shrink(wanted, columns, options.width - GAP.length * (columns.length - 1));
  const lines = cells.map((line, at) =>
    format(line, columns, widths, (column) => column.style?.(rows[at] as T)),
  );
  if (!options.header) return lines;
  const titles = columns.map(({ title }) => title);
  return [format(titles, columns, widths, () => "dim"), ...lines];
}

export function paint(style: Style | undefined, text: string): string {
  if (style === undefined || !isTerminal(1)) return text;
  return styleText(style, text, { stream: process.stdout });
}

function format<T>(
  line: readonly string[],
  columns: readonly Column<T>[],
  widths: readonly number[],
  styleOf: (column: Column<T>) => Style | undefined,
): string {
  const parts = columns.map((column, index) => {
    const text = line[index] ?? "";
    const width = widths[index] ?? 0;
    const isLast = index === columns.length - 1;
    const short = cut(text, width);
    const padded = column.isRight
      ? " ".repeat(width - widthOf(short)) + short
      : isLast
        ? short
        : padTo(short, width);
    return paint(styleOf(column), padded);
  });
  return parts.join(GAP).trimEnd();
}

/** The column to leave out, where all of them cannot be read beside each other. */
function superfluous<T>(
  wanted: readonly number[],
  columns: readonly Column<T>[],
  total: number,
): Column<T> | undefined {
  const least = columns.map((column, index) =>
    Math.min(wanted[index] ?? 0, column.isFlexible ? READABLE : Number.POSITIVE_INFINITY),
  );
  const needed = least.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  return needed > total ? columns.findLast(({ isOptional }) => isOptional) : undefined;
}

/** Takes from the widest flexible column until all fit, or none can give more. */
function shrink<T>(wanted: readonly number[], columns: readonly Column<T>[], total: number): number[] {
  const widths = [...wanted];
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - total; excess > 0; excess--) {
    const widest = columns
      .map((column, index) => ({ index, width: column.isFlexible ? (widths[index] ?? 0) : 0 }))
      .reduce((a, b) => (b.width > a.width ? b : a), { index: -1, width: NARROWEST });
    if (widest.index < 0) break;
    widths[widest.index] = widest.width - 1;
  }
  return widths;
}
