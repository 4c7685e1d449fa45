import type { FeedEvent, SessionEvent } from "../domain/session/event.ts";
import type { Entry } from "../domain/transcript/entry.ts";
import type { EntryQuery, FeedFilter, RangeQuery, Store } from "../store/store.ts";

const PAGE = 500;

/** However many there are, only a page of them is held at a time. */
export function allEvents(store: Store, id: string, query: RangeQuery): AsyncIterable<SessionEvent> {
  return pages(query, (range) => store.events(id, range));
}

export function allEntries(store: Store, id: string, query: EntryQuery): AsyncIterable<Entry> {
  return pages(query, (range) => store.entries(id, range));
}

export interface FeedOptions {
  readonly after?: string;
  /** Goes on with what will be committed. */
  readonly follow?: boolean;
  /** Leaves out what nobody would look at; every event comes where there is none. */
  readonly filter?: FeedFilter;
  readonly signal?: AbortSignal;
}

/** Events that were committed after a cursor and, when following, those that will be. */
export async function* followFeed(store: Store, options: FeedOptions): AsyncIterable<FeedEvent> {
  const { follow = false, signal, filter } = options;
  let cursor = options.after;
  const bell = new Ring(signal);
  using _listening = follow ? store.listen(() => bell.ring()) : undefined;
  while (!signal?.aborted) {
    const page = await store.feed(cursor, PAGE, filter);
    yield* page.events;
    cursor = page.cursor;
    if (!page.isEnd) continue;
    if (!follow) return;
    await bell.rung();
  }
}

/** Remembers a ring that came while nobody waited. */
class Ring {
  #isRung = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal | undefined) {
    signal?.addEventListener("abort", () => this.ring(), { once: true });
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async rung(): Promise<void> {
    if (!this.#isRung) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isRung = false;
    this.#wake = undefined;
  }
}

async function* pages<T extends { readonly seq: number }>(
  query: RangeQuery,
  read: (range: RangeQuery) => Promise<T[]>,
): AsyncIterable<T> {
  if (query.tail) {
    yield* await read(query);
    return;
  }
  let left = query.limit || Number.POSITIVE_INFINITY;
  let after = query.after ?? 0;
  while (left > 0) {
    const limit = Math.min(PAGE, left);
    const page = await read({ ...query, after, limit });
    yield* page;
    left -= page.length;
    if (page.length < limit) return;
    after = page.at(-1)?.seq ?? after;
  }
}
