import type { Lineage } from "./lineage/lineage.ts";
import type { NewSource } from "./plan.ts";
import type { Source } from "./sources.ts";
import { readHead, type SourceHead, withFolder, withNote } from "./trace-source.ts";

/** A history whose beginning was read. */
export interface Begun {
  readonly source: Source;
  readonly nativeId: string;
  readonly parent: string | null;
  readonly head: SourceHead;
  /** It is read from its beginning now. */
  readonly isDue: boolean;
}

/** Reads the beginning of a history; undefined where it is none. */
export async function beginSource(
  source: Source,
  { isNoteRead }: { readonly isNoteRead: boolean },
): Promise<Omit<Begun, "isDue"> | undefined> {
  const head = await readHead(source);
  const nativeId = source.place.nativeId ?? head.facts.nativeId;
  if (head.isEmpty || nativeId === undefined || (head.roots.length === 0 && head.facts.cwd === undefined))
    return undefined;
  const isHelper = source.place.parent !== undefined || head.facts.parent !== undefined;
  const placedHead = isNoteRead ? withFolder(head, source) : head;
  const noted = isHelper && isNoteRead ? withNote(placedHead, source) : placedHead;
  return { source, nativeId, parent: noted.facts.parent ?? source.place.parent ?? null, head: noted };
}

/** The same with its place among the others of its family. */
export type Placed = NewSource & Pick<Begun, "isDue">;

export function placed(
  { source, nativeId, parent, head, isDue }: Begun,
  lineage: Lineage | undefined,
  awaited: readonly string[] = [],
): Placed {
  const { facts } = head;
  const origin = lineage?.forkedFrom ?? facts.forkedFrom ?? null;
  return {
    source,
    nativeId,
    facts,
    copiedTo: lineage?.copiedTo ?? 0,
    isOwnCopy: lineage?.isOwnCopy ?? false,
    ownSince: lineage?.ownSince ?? null,
    forkedFrom: parent === null ? origin : null,
    parent,
    awaited,
    isDue,
  };
}
