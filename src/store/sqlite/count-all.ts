import type { Database } from "better-sqlite3";

export function countAll(db: Database): { sessions: number; events: number } {
  const count = (rows: string) => db.prepare(`SELECT count(*) FROM ${rows}`).pluck().get() as number;
  return { sessions: count("sessions"), events: count("events") - count("events WHERE session = 0") };
}
