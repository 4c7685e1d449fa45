import { toWire } from "../wire.ts";
import { endThatFits, splitsPair, startThatFits } from "./cut-text.ts";
import type { Entry } from "./entry.ts";
import type { EntryCursor } from "./entry-cursor.ts";

/** An entry, or a part of one that is larger than a reply. */
export type ShownEntry = Entry & {
  /** The characters of the whole that this part has: of the text, and behind it of what else the entry holds. */
  readonly part?: { readonly from: number; readonly to: number; readonly of: number };
  /** In a part, instead of parameters, results and calls: a piece of the JSON that holds them. */
  readonly restJson?: string;
};

/** A stretch of one entry: all of it, or as much as cursors leave of it. */
export interface Piece {
  readonly entry: Entry;
  readonly rest: string;
  readonly from: number;
  readonly to: number;
}

/** More of a name says no more in a part. */
const NAME_LENGTH = 100;

/** Undefined where the cursors leave nothing of it. */
export function pieceOf(entry: Entry, after?: EntryCursor, before?: EntryCursor): Piece | undefined {
  const rest = restOf(entry);
  const length = (entry.text ?? "").length + rest.length;
  const place = (cursor: EntryCursor | undefined) =>
    cursor?.seq === entry.seq && cursor.offset !== undefined
      ? wholeCharacter(entry, rest, Math.min(cursor.offset, length))
      : undefined;
  const [from, to] = [place(after) ?? 0, place(before) ?? length];
  return from < to || length === 0 ? { entry, rest, from, to } : undefined;
}

export function isWhole({ entry, rest, from, to }: Piece): boolean {
  return from === 0 && to === (entry.text ?? "").length + rest.length;
}

export function showPiece(piece: Piece): ShownEntry {
  const { entry, rest, from, to } = piece;
  if (isWhole(piece)) return entry;
  const text = entry.text ?? "";
  const restJson = rest.slice(Math.max(0, from - text.length), Math.max(0, to - text.length));
  return {
    seq: entry.seq,
    at: entry.at,
    role: entry.role,
    kind: entry.kind,
    text: entry.text === null ? null : text.slice(from, to),
    tool: entry.tool && { name: entry.tool.name.slice(0, NAME_LENGTH) },
    ...(entry.name === undefined ? {} : { name: entry.name.slice(0, NAME_LENGTH) }),
    part: { from, to, of: text.length + rest.length },
    ...(restJson === "" ? {} : { restJson }),
  };
}

/** The beginning of a piece, or its end, that fits; at least one character of it. */
export function cutPiece(piece: Piece, bytes: number, keeps: "beginning" | "end"): Piece {
  const { entry, rest, from, to } = piece;
  const border = (entry.text ?? "").length;
  const isInText = keeps === "beginning" ? from < border : to <= border;
  const shift = isInText ? 0 : border;
  const stretch = {
    text: isInText ? (entry.text ?? "") : rest,
    from: Math.max(from - shift, 0),
    to: isInText ? Math.min(to, border) : to - border,
    bytes: Math.max(0, bytes - frameOf(piece)),
    isJson: !isInText,
  };
  if (keeps === "beginning") return { ...piece, to: endThatFits(stretch) + shift };
  return { ...piece, from: startThatFits(stretch) + shift };
}

export function wireBytes(entry: ShownEntry): number {
  // With the comma behind it.
  return Buffer.byteLength(JSON.stringify(toWire(entry))) + 1;
}

/** Everything of a part but its text. */
function frameOf(piece: Piece): number {
  const { from } = piece;
  return wireBytes({ ...showPiece({ ...piece, from, to: from }), part: WIDEST, restJson: "" });
}

const WIDEST = { from: 999_999_999, to: 999_999_999, of: 999_999_999 };

/** The rest of an entry beside its text, as JSON; empty where that is no more than a tool's name. */
function restOf({ tool, toolCalls }: Entry): string {
  const { name: _, ...more } = tool ?? { name: "" };
  const rest = { ...more, ...(toolCalls === undefined ? {} : { toolCalls }) };
  return Object.keys(rest).length === 0 ? "" : JSON.stringify(toWire(rest));
}

function wholeCharacter({ text }: Entry, rest: string, offset: number): number {
  const border = (text ?? "").length;
  const isSplit = offset < border ? splitsPair(text ?? "", offset) : splitsPair(rest, offset - border);
  return isSplit ? offset - 1 : offset;
}
