import { writeSync } from "node:fs";
import Database from "better-sqlite3";
import { MIGRATIONS, migrate } from "../../../src/store/sqlite/migrate.ts";

/** Brings a store to a schema of the future, slowly and in many statements. */
const next = `
CREATE TABLE notes (no INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
INSERT INTO notes (text)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
  SELECT printf('note number %d of this migration', i) FROM n;
ALTER TABLE sessions ADD COLUMN note INTEGER;
UPDATE sessions SET note = no;
UPDATE events SET channel = 'migrated' WHERE channel IS NOT NULL;
CREATE INDEX notes_by_text ON notes (text);
DROP INDEX sessions_by_task;
`;

const [path] = process.argv.slice(2) as [string];
const db = new Database(path);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
writeSync(1, "begin\n");
migrate(db, path, [...MIGRATIONS, next]);
writeSync(1, "done\n");
db.close();
