import { cursorText, type EntryCursor } from "./entry-cursor.ts";
import { cutPiece, isWhole, type Piece, type ShownEntry, showPiece, wireBytes } from "./entry-part.ts";

export interface PageOptions {
  /** From a place on forwards; else from the newest backwards. */
  readonly isForward: boolean;
  readonly limit: number;
  readonly bytes: number;
  readonly after?: EntryCursor;
}

export interface EntryPage {
  /** Oldest first. */
  readonly entries: readonly ShownEntry[];
  /** There is more in the direction that was read in. */
  readonly truncated: boolean;
  /** Leads to what came before; null where that was the beginning. */
  readonly before: string | null;
  /** Leads to what came, or will come, after. */
  readonly after: string | null;
}

/** With less room than this behind other entries, a part waits for the next page. */
const LEAST_PART_BYTES = 1000;

/** As much of a transcript as fits into one reply. The pieces come in the direction that is read in. */
export async function fillPage(pieces: AsyncIterable<Piece>, options: PageOptions): Promise<EntryPage> {
  const taken: Piece[] = [];
  let left = options.bytes;
  let truncated = false;
  for await (const piece of pieces) {
    const size = wireBytes(showPiece(piece));
    if (size <= left && taken.length < options.limit) {
      taken.push(piece);
      left -= size;
      continue;
    }
    truncated = true;
    // An entry that fits into no reply is given in parts, which fill this one.
    const isFiller = size > options.bytes && left >= LEAST_PART_BYTES && taken.length < options.limit;
    if (taken.length === 0 || isFiller)
      taken.push(cutPiece(piece, left, options.isForward ? "beginning" : "end"));
    break;
  }
  return toPage(options.isForward ? taken : taken.toReversed(), { ...options, truncated });
}

function toPage(
  pieces: readonly Piece[],
  { isForward, after, truncated }: PageOptions & { readonly truncated: boolean },
): EntryPage {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const isBeginning = first === undefined || (!isForward && !truncated);
  return {
    entries: pieces.map(showPiece),
    truncated,
    before: isBeginning ? null : placeBefore(first),
    after: last ? placeAfter(last) : after ? cursorText(after) : null,
  };
}

function placeBefore({ entry: { seq }, from }: Piece): string {
  return cursorText(from === 0 ? { seq } : { seq, offset: from });
}

function placeAfter(piece: Piece): string {
  const { entry, to } = piece;
  const reachesEnd = isWhole({ ...piece, from: 0 });
  return cursorText(reachesEnd ? { seq: entry.seq } : { seq: entry.seq, offset: to });
}
