import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { created, entryAdded, request, T1 } from "../../testing/events.ts";
import { type SqlitePlace, sqlitePlace } from "../../testing/sqlite-place.ts";
import { append, codeOf } from "../contract/place.ts";
import type { Store } from "../store.ts";

/** What someone may do to the database behind our back, and what verifying finds. */
const TAMPERINGS = [
  ["a gap", "DELETE FROM events WHERE seq = 2", "seq_gap"],
  ["a missing end", "DELETE FROM events WHERE seq = 3", "seq_gap"],
  ["a changed row", "UPDATE sessions SET body = json_set(body, '$.phase', 'approval')", "row_differs"],
  [
    "a changed event",
    `UPDATE events SET body = '{"kind":"updated","error":"x"}' WHERE seq = 3`,
    "row_differs",
  ],
  ["a changed ledger", "UPDATE requests SET tokens_input = 11", "usage_differs"],
  ["a changed read cursor", "UPDATE read_cursors SET byte_offset = 11", "corrupt"],
  ["a lost request", "DELETE FROM requests", "usage_differs"],
  ["a damaged row", "UPDATE sessions SET body = 'not json'", "corrupt"],
  ["a damaged event", "UPDATE events SET body = '{' WHERE seq = 2", "corrupt"],
  ["a changed column", "UPDATE sessions SET state = 'stopped'", "index_differs"],
  ["events without a session", "DELETE FROM sessions", "orphan_events"],
] as const;

describe("verifying", () => {
  test.each(TAMPERINGS)("finds %s", async (_what, sql, problem) => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    tamper(place, sql);
    expect((await store.verify()).problems.map((found) => found.problem)).toContain(problem);
  });

  test("finds what only the engine can know", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    // The index was built over another column than it says now.
    const definition = "CREATE INDEX sessions_by_task ON sessions (id)";
    tamper(
      place,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = '${definition}' WHERE name = 'sessions_by_task'`,
    );
    expect((await store.verify()).problems.map((found) => found.problem)).toContain("engine");
  });

  test("mends nothing", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    tamper(place, "UPDATE sessions SET body = json_set(body, '$.phase', 'approval')");
    const first = await store.verify();
    expect(await store.verify()).toEqual(first);
  });

  test("names the session and the fields that differ", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    tamper(place, "UPDATE sessions SET body = json_set(body, '$.phase', 'approval', '$.errorCount', 9)");
    expect((await store.verify()).problems).toEqual([
      { sessionId: "s", problem: "row_differs", detail: ["phase", "errorCount"] },
    ]);
  });

  test("keeps a backup from being made of a store that is not sound", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    tamper(place, "DELETE FROM events WHERE seq = 2");
    expect(await codeOf(store.backup(place.file("backup")))).toBe("backup_failed");
  });
});

describe("a damaged record", () => {
  test.each(["body", "ledger", "observed"])(
    "(its %s) is reported as corrupt and breaks no list",
    async (column) => {
      using place = sqlitePlace();
      await using store = place.open();
      await fill(store);
      await append(store, "healthy", created());
      tamper(place, `UPDATE sessions SET ${column} = '{' WHERE id = 's'`);
      expect(await codeOf(store.find("s"))).toBe("corrupt");
      const { items, corrupt } = await store.list({ limit: 0 });
      expect([items.map(({ row }) => row.id), corrupt]).toEqual([["healthy"], ["s"]]);
    },
  );

  test("does not hide its family", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    await append(store, "child", created({ identity: { parentId: "s" } }));
    tamper(place, "UPDATE sessions SET body = '{' WHERE id = 'child'");
    const { items, corrupt } = await store.family("s");
    expect([items.map(({ row }) => row.id), corrupt]).toEqual([["s"], ["child"]]);
  });

  test("is kept when it and others are to be removed", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    await append(store, "healthy", created());
    tamper(place, "UPDATE sessions SET body = '{' WHERE id = 's'");
    expect(await store.remove(["healthy", "s"], T1)).toEqual(["healthy"]);
    expect(await codeOf(store.find("s"))).toBe("corrupt");
  });

  test("breaks no search", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    await append(store, "healthy", created({ identity: { goal: "needle" } }));
    tamper(
      place,
      "UPDATE sessions SET body = '{' WHERE id = 's'; UPDATE events SET body = '{' WHERE seq = 2",
    );
    const { items, corrupt } = await store.search({ text: "needle", limit: 10 });
    expect([items.map(({ sessionId }) => sessionId), corrupt]).toEqual([["healthy"], ["s"]]);
  });

  test("refuses changes and stays as it is, while others go on beside it", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    tamper(place, "UPDATE sessions SET body = '{' WHERE id = 's'");
    const codes = [append(store, "s", { kind: "updated" }), append(store, "healthy", created())].map(codeOf);
    expect(await Promise.all(codes)).toEqual(["corrupt", "done"]);
  });

  test("of how far a source was read means that it is read from the beginning", async () => {
    using place = sqlitePlace();
    await using store = place.open();
    await fill(store);
    tamper(place, "UPDATE read_cursors SET memory = '{'");
    expect(await store.findCursor("s", "t")).toBeUndefined();
    expect(await codeOf(append(store, "s", { kind: "updated" }))).toBe("done");
  });
});

async function fill(store: Store): Promise<void> {
  await append(store, "s", created({ identity: { goal: "needle" } }), entryAdded("needle"), {
    kind: "updated",
  });
  const cursor = { source: "t", byteOffset: 10, file: null, memory: { a: 1 } };
  await store.change("s", () => ({ events: [], usage: [request("r")], cursors: [cursor] }));
  await store.observe([{ sessionId: "s", observed: { attached: true } }]);
}

function tamper({ path }: SqlitePlace, sql: string): void {
  const db = new Database(path).unsafeMode(true);
  db.exec(sql);
  db.close();
}
