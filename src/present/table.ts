import { cut, padTo, printable, widthOf } from "./text.ts";

/** How a text stands out where that can be shown. */
export type Style =
  | "bold"
  | "dim"
  | "inverse"
  | "red"
  | "green"
  | "yellow"
  | "blue"
  | "magenta"
  | "cyan"
  | readonly ["bold", "red"];

/** Shows a text in a style: by escape sequences at a terminal, by an element on a page, or not at all. */
export type Paint = (style: Style | undefined, text: string) => string;

export interface Column<T> {
  readonly title: string;
  readonly text: (row: T) => string;
  readonly style?: (row: T) => Style | undefined;
  /** May be cut when the terminal is narrow. */
  readonly isFlexible?: boolean;
  /** Its share of the room that flexible columns have, beside others of 1. */
  readonly weight?: number;
  /** Cut shorter than this it says little, and columns that can be spared go first; 14 where nothing is said. */
  readonly readable?: number;
  /** May be left out where cutting is not enough; the least important goes first, and of equal ones the rightmost. */
  readonly isOptional?: boolean;
  readonly importance?: number;
  /** Is never wider at a terminal, however much room there is. */
  readonly most?: number;
  readonly isRight?: boolean;
  /** How its text is made shorter; at its end where nothing is said. */
  readonly shorten?: (text: string, width: number) => string;
}

const GAP = "  ";
const READABLE = 14;
const NARROWEST = 8;

/** Aligned columns within the width of the terminal. Everything that is shown was made safe to show. */
export function layOut<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: { readonly width: number; readonly header: boolean; readonly paint: Paint },
): string[] {
  const cells = rows.map((row) => columns.map((column) => printable(column.text(row))));
  const wanted = columns.map((column, index) =>
    Math.min(
      Math.max(options.header ? column.title.length : 0, ...cells.map((line) => widthOf(line[index] ?? ""))),
      Number.isFinite(options.width) ? (column.most ?? options.width) : options.width,
    ),
  );
  const leaveOut = superfluous(wanted, columns, options.width);
  if (leaveOut !== undefined)
    return layOut(
      rows,
      columns.filter((column) => column !== leaveOut),
      options,
    );
  const widths = shrink(wanted, columns, options.width - GAP.length * (columns.length - 1));
  const lines = cells.map((line, at) =>
    format(line, columns, widths, (column, text) => options.paint(column.style?.(rows[at] as T), text)),
  );
  if (!options.header) return lines;
  const titles = columns.map(({ title }) => title);
  return [format(titles, columns, widths, (_, text) => options.paint("dim", text)), ...lines];
}

function format<T>(
  line: readonly string[],
  columns: readonly Column<T>[],
  widths: readonly number[],
  paint: (column: Column<T>, text: string) => string,
): string {
  const parts = columns.map((column, index) => {
    const text = line[index] ?? "";
    const width = widths[index] ?? 0;
    const isLast = index === columns.length - 1;
    const short = (column.shorten ?? cut)(text, width);
    const padded = column.isRight
      ? " ".repeat(width - widthOf(short)) + short
      : isLast
        ? short
        : padTo(short, width);
    return paint(column, padded);
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
    Math.min(
      wanted[index] ?? 0,
      column.isFlexible ? (column.readable ?? READABLE) : Number.POSITIVE_INFINITY,
    ),
  );
  const needed = least.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (needed <= total) return undefined;
  const optional = columns.filter(({ isOptional }) => isOptional);
  const lowest = Math.min(...optional.map(({ importance = 0 }) => importance));
  return optional.findLast(({ importance = 0 }) => importance === lowest);
}

/** Takes from the flexible column that is widest for its weight until all fit, or none can give more. */
function shrink<T>(wanted: readonly number[], columns: readonly Column<T>[], total: number): number[] {
  const widths = [...wanted];
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - total; excess > 0; excess--) {
    const share = (index: number) => (widths[index] ?? 0) / (columns[index]?.weight ?? 1);
    const widest = columns
      .map((_, index) => index)
      .filter((index) => columns[index]?.isFlexible && (widths[index] ?? 0) > NARROWEST)
      .reduce<number | undefined>((a, b) => (a === undefined || share(b) > share(a) ? b : a), undefined);
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
