import type { EventBody } from "../domain/session/event.ts";
import { type Context, stamp } from "../record/context.ts";
import { findByNativeId, linksOf, type NewSource } from "./plan.ts";

/** Names origin and parent in a record that was imported before them, or before they were read again with another id. */
export async function linkSession(context: Context, given: NewSource): Promise<void> {
  const { source, nativeId, forkedFrom, parent } = given;
  if (forkedFrom === null && parent === null) return;
  const row = await findByNativeId(context, source.agent.type, nativeId);
  if (row?.origin !== "imported") return;
  const links = await linksOf(context, given);
  const changed = Object.entries(links).filter(
    ([name, id]) => id !== null && id !== row[name as keyof typeof links],
  );
  if (changed.length === 0) return;
  const { asker: _, ...quiet } = context;
  const body: EventBody = { kind: "identified", identity: Object.fromEntries(changed) };
  await context.store.change(row.id, (kept) => ({
    events: kept === undefined ? [] : [{ ...stamp(quiet, body, kept.lastActiveAt), channel: null }],
  }));
}
