import type { UsageEntry } from "../../domain/usage.ts";
import type { Store } from "../../store/store.ts";

const CHUNK = 1000;

/** All requests of a session, in the order of their keys, a page at a time. */
export async function* ledgerRequests(store: Store, sessionId: string): AsyncIterable<UsageEntry> {
  let after = "";
  for (;;) {
    const page = await store.usageOf(sessionId, { after, limit: CHUNK });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < CHUNK) return;
    after = last.requestKey;
  }
}
