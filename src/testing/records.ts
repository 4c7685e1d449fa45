import { NO_LIVE_FACTS, toRecord, usageOf } from "../domain/session/record.ts";
import type { SessionRecord, Waiting } from "../domain/session/session.ts";
import { created, rowAfter } from "./events.ts";

export const NOW = Date.parse("2026-01-08T19:00:00.000Z");

/** So many seconds before `NOW`. */
export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

/** A session that Rollcall carries and that works, but for what is given. */
export function shownSession(fields: Partial<SessionRecord> = {}): SessionRecord {
  const row = rowAfter(created());
  const usage = usageOf(row);
  const record = toRecord(row, { usage, usageWithChildren: usage, observed: NO_LIVE_FACTS });
  const base = { origin: "started", state: "running", stateSince: ago(60), lastActiveAt: ago(60) } as const;
  return { ...record, ...base, ...fields };
}

export function waitingFor(what: Waiting["for"], fields: Partial<Waiting> = {}): Partial<SessionRecord> {
  const waiting: Waiting = {
    ...{ for: what, requestId: null, tool: null, input: null, question: null, options: null },
    since: ago(30),
    ...fields,
  };
  return { state: "waiting_input", waiting };
}
