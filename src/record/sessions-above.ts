import type { Context } from "./context.ts";

/**
 * A session and all above it: parents, and sessions that asked for the start of one of them. A start may name any
 * parent, but not who asked for it.
 */
export async function sessionsAbove({ store }: Pick<Context, "store">, id: string): Promise<Set<string>> {
  const above = new Set([id]);
  for (const at of above) {
    const parent = (await store.findRow(at))?.parentId;
    const [first] = await store.events(at, { limit: 1 });
    for (const next of [parent, first?.body.asker?.sessionId]) if (next) above.add(next);
  }
  return above;
}
