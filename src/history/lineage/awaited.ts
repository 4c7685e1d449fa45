import type { RecordTrace } from "../../agents/history.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import type { Context } from "../../record/context.ts";
import { readState, writeState } from "../import-state.ts";
import { findByNativeId, type NewSource } from "../plan.ts";
import type { Lineage, TracedFile } from "./lineage.ts";

/**
 * By source, the names of records that a relative has for its own as long as they do not stand in this file too: a copy
 * may be read before all of its origin is there. Should one of them come, both have to be read again.
 */
export function awaitedIn(
  files: readonly TracedFile[],
  lineages: ReadonlyMap<string, Lineage>,
): ReadonlyMap<string, readonly string[]> {
  const begun = files.map((file) => ownNames(file, lineages.get(file.source)?.copiedTo ?? 0));
  return new Map(
    files.map((file, index) => {
      const others = begun.toSpliced(index, 1).flat();
      return [
        file.source,
        file.isHelper === true ? [] : missingIn(file, [...others, ...placesIn(file, files)]),
      ];
    }),
  );
}

/** All names under which a record may be awaited. */
export function namesOf({ key, answer, ordinal }: RecordTrace): string[] {
  const place = ordinal === undefined ? undefined : placeName(ordinal);
  return [key, answer, place].filter((name) => name !== undefined);
}

/** Notes with the cursor of an imported history what it awaits. One that was read just now knows it already. */
export async function noteAwaited(
  { store }: Pick<Context, "store">,
  { source: { agent, source }, nativeId, awaited }: Pick<NewSource, "source" | "nativeId" | "awaited">,
): Promise<void> {
  const row = await findByNativeId({ store }, agent.type, nativeId);
  const cursor = row?.origin === "imported" ? await store.findCursor(row.id, source) : undefined;
  if (!row || !cursor || awaits(cursor, awaited)) return;
  await store.change(row.id, (now, { cursors }) => {
    const kept = cursors.get(source);
    if (now === undefined || kept === undefined || awaits(kept, awaited)) return [];
    return { events: [], cursors: [{ ...kept, memory: writeState({ ...readState(kept.memory), awaited }) }] };
  });
}

function awaits({ memory }: Pick<ReadCursor, "memory">, names: readonly string[]): boolean {
  return readState(memory).awaited.join("\n") === names.join("\n");
}

/** The first names among the records of its own. */
function ownNames({ records }: TracedFile, copiedTo: number): (string | undefined)[] {
  const own = records.filter(({ offset }) => offset > copiedTo);
  return [
    own.find(({ key }) => key !== undefined)?.key,
    own.find(({ key, isWeak }) => key !== undefined && isWeak !== true)?.key,
    own.find(({ answer }) => answer !== undefined)?.answer,
  ];
}

/** The places in this file that others go on from. */
function placesIn({ file }: TracedFile, files: readonly TracedFile[]): string[] {
  return files.flatMap(({ base }) =>
    base !== undefined && base.file === file ? [placeName(base.before - 1)] : [],
  );
}

function missingIn({ records }: TracedFile, names: readonly (string | undefined)[]): string[] {
  const known = new Set(records.flatMap(namesOf));
  return [...new Set(names)].filter((name) => name !== undefined && !known.has(name)).sort() as string[];
}

function placeName(ordinal: number): string {
  return `#${ordinal}`;
}
