import type { Begun } from "../begun.ts";
import { traceSource } from "../trace-source.ts";
import { awaitedIn } from "./awaited.ts";
import { decideLineage, type Lineage } from "./lineage.ts";

/** The members of a family, origins first, and the lineage of each. A history without relatives that says nothing of copies is not read for it. */
export async function lineageOf(family: readonly Begun[]): Promise<{
  readonly order: readonly Begun[];
  readonly lineages: ReadonlyMap<string, Lineage>;
  /** By source, the names of records that relatives count as their own as long as they do not stand there. */
  readonly awaited: ReadonlyMap<string, readonly string[]>;
}> {
  const [first] = family;
  if (family.length === 1 && first?.head.facts.ownOrdinal === undefined)
    return { order: family, lineages: new Map(), awaited: new Map() };
  const traced = await Promise.all(
    family.map(async (one) => traceSource(one.source, { ...one, facts: one.head.facts })),
  );
  const lineages = new Map(decideLineage(traced).map((lineage) => [lineage.source, lineage]));
  const order = [...lineages.keys()].flatMap((source) =>
    family.filter((one) => one.source.source === source),
  );
  return { order, lineages, awaited: awaitedIn(traced, lineages) };
}
