import type { Context } from "../../record/context.ts";
import type { Begun } from "../begun.ts";
import { readState } from "../import-state.ts";
import { findByNativeId, isCarried } from "../plan.ts";
import type { Lineage } from "./lineage.ts";

/**
 * Whether one of a family was read with another lineage, or without the place that it goes on from: then others may lack
 * what it took for its own.
 */
export async function isOutdated(
  { store }: Pick<Context, "store">,
  family: readonly Begun[],
  lineages: ReadonlyMap<string, Lineage>,
): Promise<boolean> {
  for (const { source, nativeId, isDue } of family) {
    const row = isDue ? undefined : await findByNativeId({ store }, source.agent.type, nativeId);
    const cursor = row && !isCarried(row) && (await store.findCursor(row.id, source.source));
    if (!cursor || row.origin !== "imported") continue;
    const { copiedTo, isBaseRead } = readState(cursor.memory);
    if (!isBaseRead || copiedTo !== (lineages.get(source.source)?.copiedTo ?? 0)) return true;
  }
  return false;
}
