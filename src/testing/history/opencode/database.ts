import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";

/** The rows of one session as OpenCode keeps them. */
export interface OpencodeSession {
  readonly id: string;
  readonly parentId: string | null;
  readonly createdMs: number;
  readonly messages: readonly OpencodeMessage[];
}

export interface OpencodeMessage {
  readonly id: string;
  readonly data: {
    readonly time: { readonly created: number; readonly completed?: number };
    readonly [key: string]: unknown;
  };
  readonly parts: readonly object[];
}

/** The columns that an import reads, as release 1.18 has them, and the log that its processes leave behind. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL,
  version text NOT NULL, agent text, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX IF NOT EXISTS message_session ON message (session_id, time_created, id);
CREATE INDEX IF NOT EXISTS part_message ON part (message_id, id);
CREATE INDEX IF NOT EXISTS part_session ON part (session_id);`;

/** Brings the database to hold these sessions as they are now. Rows that are there with the same content stay as they are. */
export function writeOpencode(path: string, sessions: readonly OpencodeSession[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.exec(SCHEMA);
  db.transaction(() => {
    for (const session of sessions) writeSession(db, session);
  })();
  db.close();
}

/** Runs a statement on the database, as OpenCode does when a person takes something back. */
export function changeOpencode(path: string, statement: string): void {
  const db = new Database(path);
  db.exec(statement);
  db.close();
}

function writeSession(db: Database.Database, { id, parentId, createdMs, messages }: OpencodeSession): void {
  const insert = (table: string, row: Readonly<Record<string, unknown>>) => {
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    db.prepare(`INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")})`).run(
      row,
    );
  };
  const times = (created: number, updated = created) => ({ time_created: created, time_updated: updated });
  const last = messages.at(-1)?.data.time.created ?? createdMs;
  const about = { title: `About ${id}`, version: "1.18.33", agent: parentId === null ? "build" : "general" };
  insert("session", { id, parent_id: parentId, directory: "/project", ...about, ...times(createdMs, last) });
  for (const message of messages) {
    const { created } = message.data.time;
    insert("message", {
      id: message.id,
      session_id: id,
      ...times(created),
      data: JSON.stringify(message.data),
    });
    for (const [index, part] of message.parts.entries())
      insert("part", {
        ...{
          id: `prt_${message.id}_${String(index).padStart(3, "0")}`,
          message_id: message.id,
          session_id: id,
        },
        ...{ ...times(created), data: JSON.stringify(part) },
      });
  }
}
