import type { Begun } from "./begun.ts";
import { decideLineage, type Lineage } from "./lineage.ts";
import { traceSource } from "./trace-source.ts";

/** The members of a family, origins first, and the lineage of each. A history without relatives that says nothing of copies is not read for it. */
export async function lineageOf(family: readonly Begun[]): Promise<{
  readonly order: readonly Begun[];
  readonly lineages: ReadonlyMap<string, Lineage>;
}> {
  const [first] = family;
  if (family.length === 1 && first?.head.facts.ownOrdinal === undefined)
    return { order: family, lineages: new Map() };
  const traced = await Promise.all(
    family.map(async (one) => traceSource(one.source, { ...one, facts: one.head.facts })),
  );
  const lineages = new Map(decideLineage(traced).map((lineage) => [lineage.source, lineage]));
  const order = [...lineages.keys()].flatMap((source) =>
    family.filter((one) => one.source.source === source),
  );
  return { order, lineages };
}
