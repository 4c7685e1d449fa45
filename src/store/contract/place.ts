import { RollcallError } from "../../domain/errors.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { created, newEvent, T0 } from "../../testing/events.ts";
import type { Change, Store } from "../store.ts";

/** Somewhere that a store can be kept, empty at first; it may be opened many times at once. */
export interface Place extends Disposable {
  open(): Store;
  /** The same store, as an expression that a module in another process can evaluate. */
  readonly openInChild: string;
  /** A path in this place for a file that does not exist yet. */
  file(name: string): string;
}

export type MakePlace = () => Place;

export function append(store: Store, id: string, ...bodies: readonly EventBody[]): Promise<Change> {
  const events = bodies.map((body) => newEvent(body));
  return store.change(id, () => events);
}

/** Adds requests to the ledger of a session; true where its sums have changed. */
export async function count(store: Store, id: string, usage: readonly UsageEntry[]): Promise<boolean> {
  return (await store.change(id, () => ({ events: [], usage }))).isUsageNew;
}

/** A session that was last active so many minutes after the beginning of all time in these tests. */
export async function sessionAt(
  store: Store,
  id: string,
  minute: number,
  given: Parameters<typeof created>[0] = {},
): Promise<void> {
  const at = new Date(Date.parse(T0) + minute * 60_000).toISOString();
  await store.change(id, () => [newEvent(created({ createdAt: at, ...given }), at)]);
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    return error instanceof RollcallError ? error.code : `not ours: ${String(error)}`;
  }
}
