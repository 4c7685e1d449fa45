import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { created } from "../../testing/events.ts";
import { sqlitePlace } from "../../testing/sqlite-place.ts";
import { append, codeOf } from "../contract/place.ts";
import { isOurs, MIGRATIONS, migrate, versionOf } from "./migrate.ts";

const schemaOf = (db: Database.Database) => db.prepare("SELECT sql FROM sqlite_schema ORDER BY name").all();

describe("a migration", () => {
  test("brings an empty database to the newest schema, and changes nothing the second time", () => {
    using db = memory();
    migrate(db, "db");
    const before = schemaOf(db);
    migrate(db, "db");
    expect([versionOf(db), isOurs(db), schemaOf(db)]).toEqual([MIGRATIONS.length, true, before]);
  });

  test("that fails half way leaves the schema before it as it was", () => {
    using db = memory();
    migrate(db, "db");
    const before = schemaOf(db);
    const failing = "CREATE TABLE new (a); INSERT INTO new VALUES (1); CREATE TABLE sessions (b);";
    expect(() => migrate(db, "db", [...MIGRATIONS, failing])).toThrow(/already exists/);
    expect([versionOf(db), schemaOf(db), db.inTransaction]).toEqual([MIGRATIONS.length, before, false]);
  });

  test("keeps those before the one that failed, and goes on from there", () => {
    using db = memory();
    const second = "CREATE TABLE second (a);";
    expect(() => migrate(db, "db", [...MIGRATIONS, second, "nonsense"])).toThrow(/syntax error/);
    expect(versionOf(db)).toBe(MIGRATIONS.length + 1);
    migrate(db, "db", [...MIGRATIONS, second, "CREATE TABLE third (a);"]);
    expect(versionOf(db)).toBe(MIGRATIONS.length + 2);
  });

  test("is not begun on a schema that is newer than the program", async () => {
    using place = sqlitePlace();
    await place.open().close();
    tamper(place.path, "PRAGMA user_version = 99");
    const before = readFileSync(place.path);
    expect(openError(place)).toMatchObject({
      code: "store_newer",
      message: expect.stringContaining("schema 99"),
    });
    expect(readFileSync(place.path).equals(before)).toBe(true);
  });
});

describe("a file that is not ours", () => {
  test("because another program keeps its data there is refused and left alone", () => {
    using place = sqlitePlace();
    tamper(place.path, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1); PRAGMA user_version = 1;");
    const before = contentOf(place.path);
    expect(openError(place)).toMatchObject({ code: "store_not_a_database" });
    expect(contentOf(place.path)).toEqual(before);
  });

  test("because it is no database is refused and stays as it is, byte for byte", () => {
    using place = sqlitePlace();
    const text = Buffer.from("These are the notes of somebody else.\n".repeat(200));
    writeFileSync(place.path, text);
    expect(openError(place)).toMatchObject({ code: "store_not_a_database" });
    expect(readFileSync(place.path).equals(text)).toBe(true);
  });

  test("because it is empty is taken for a new store", async () => {
    using place = sqlitePlace();
    writeFileSync(place.path, "");
    await using store = place.open();
    expect(await codeOf(append(store, "s", created()))).toBe("done");
  });
});

function memory(): Database.Database & Disposable {
  const db = new Database(":memory:");
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() });
}

function tamper(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

function contentOf(path: string): unknown[] {
  const db = new Database(path, { readonly: true });
  const content = [...schemaOf(db), ...db.prepare("SELECT * FROM theirs").all(), versionOf(db)];
  db.close();
  return content;
}

function openError(place: { open(): unknown }): unknown {
  try {
    return place.open();
  } catch (error) {
    return error;
  }
}
