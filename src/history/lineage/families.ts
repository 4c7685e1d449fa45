import type { HistoryPlace } from "../../agents/history.ts";
import type { SourceHead } from "../trace-source.ts";

/** A history with its beginning. */
export interface Headed {
  readonly nativeId: string;
  /** The session that it helps. */
  readonly parent: string | null;
  readonly head: SourceHead;
  readonly source: { readonly place: HistoryPlace };
}

/** Groups histories that may hold copies of each other: those of which one holds the first record of another, or that name one another. */
export function familiesOf<T extends Headed>(sources: readonly T[]): T[][] {
  const families = new Map<T, T[]>();
  const byName = new Map<string, T>();
  for (const source of sources) {
    families.set(source, [source]);
    const { facts, roots } = source.head;
    const names = [
      source.nativeId,
      ...[facts.forkedFrom, source.parent].filter((name) => typeof name === "string"),
      ...roots.map((key) => `key ${key}`),
      ...[source.source.place.file, facts.base?.file].flatMap((file) =>
        file === undefined ? [] : [`file ${file}`],
      ),
    ];
    for (const name of names) {
      const other = byName.get(name);
      if (other) join(families, source, other);
      else byName.set(name, source);
    }
  }
  return [...new Set(families.values())];
}

function join<T>(families: Map<T, T[]>, a: T, b: T): void {
  const [ours, theirs] = [families.get(a) as T[], families.get(b) as T[]];
  if (ours === theirs) return;
  const [large, small] = ours.length < theirs.length ? [theirs, ours] : [ours, theirs];
  for (const each of small) families.set(each, large);
  large.push(...small);
}
