import { Random } from "../simulation/random.ts";
import type { HistoryFile, HistoryTree } from "./truth.ts";

/** How a tree came to be as it is: what lay on the disk at each moment of an import. */
export const ARRIVALS = ["at once", "file by file", "in halves"] as const;
export type Arrival = (typeof ARRIVALS)[number];

/** The states of the disk one after the other; the last one is the tree as it is. */
export function stagesOf({ seed, files }: HistoryTree, arrival: Arrival): HistoryFile[][] {
  const random = new Random(seed);
  if (arrival === "at once") return [[...files]];
  const order = shuffle(files, random);
  if (arrival === "file by file") return order.map((_, index) => order.slice(0, index + 1));
  return [order.flatMap((file) => earlier(file, random)), [...files]];
}

/** The file as it was before: not there yet, shorter, with half of a line, or with other lines than later. */
function earlier(file: HistoryFile, random: Random): HistoryFile[] {
  const { lines } = file;
  const kind = random.int(5);
  const cut = random.int(lines.length + 1);
  const next = lines[cut];
  if (kind === 0 || file.isZstd) return [];
  if (kind === 1) return [file];
  if (kind === 2 || next === undefined) return [{ ...file, lines: lines.slice(0, cut), partial: "" }];
  if (kind === 3)
    return [{ ...file, lines: lines.slice(0, cut), partial: next.slice(0, random.int(next.length)) }];
  return [{ ...file, lines: lines.filter((_, index) => index === 0 || index >= cut), partial: "" }];
}

function shuffle<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
