import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { RollcallError } from "../../domain/errors.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { CommitQueue } from "./commit-queue.ts";

describe("a commit queue", () => {
  test("runs what is asked for in one turn of the event loop in one transaction", async () => {
    using setting = setUp();
    const { queue, count } = setting;
    await Promise.all([1, 2, 3].map(() => queue.add(setting.insert)));
    await queue.add(setting.insert);
    expect([count(), setting.commits()]).toEqual([4, 2]);
  });

  test("tells nobody before the commit", async () => {
    using setting = setUp();
    const order: string[] = [];
    const added = setting.queue.add(setting.insert).then(() => order.push(`told ${setting.commits()}`));
    await added;
    expect(order).toEqual(["told 1"]);
  });

  test("gives each its own transaction when one of them breaks", async () => {
    using setting = setUp();
    const breaking = () => {
      setting.insert();
      throw new Error("broken");
    };
    const results = await Promise.allSettled([
      setting.queue.add(setting.insert),
      setting.queue.add(breaking),
      setting.queue.add(setting.insert),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(setting.count()).toBe(2);
  });

  test("whose connection was given up fails all that waits, each with the cause in our words", async () => {
    using setting = setUp({ losesConnection: true });
    const breaking = () => {
      throw new Error("disk I/O error");
    };
    const results = await Promise.allSettled(
      [breaking, setting.insert, breaking].map((work) => setting.queue.add(work)),
    );
    expect(results.map((result) => (result.status === "rejected" ? result.reason.code : "done"))).toEqual([
      "store_failed",
      "store_failed",
      "store_failed",
    ]);
  });
});

function setUp({ losesConnection = false } = {}) {
  const db = new Database(":memory:");
  db.exec("CREATE TABLE t (a)");
  let commits = 0;
  const queue = new CommitQueue({
    db,
    begin: () => ({ finish: () => {} }),
    committed: () => commits++,
    failed: (cause) => {
      if (losesConnection) db.close();
      return new RollcallError("store_failed", "It failed.", { cause });
    },
  });
  return {
    queue,
    insert: () => void db.exec("INSERT INTO t VALUES (1)"),
    count: () => db.prepare("SELECT count(*) FROM t").pluck().get(),
    commits: () => commits,
    [Symbol.dispose]: () => void db.close(),
  };
}

describe("a commit queue that waits for another writer", () => {
  test("lets the event loop go on, keeps the order, and commits once it is free", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "store.db");
    const [other, db] = [new Database(path), new Database(path, { timeout: 1 })];
    db.exec("CREATE TABLE t (n)");
    other.exec("BEGIN IMMEDIATE");
    const order: number[] = [];
    const queue = new CommitQueue({
      db,
      begin: () => ({ finish: () => {} }),
      committed: () => {},
      failed: (error) => error as Error,
      lockPatienceMs: 60_000,
    });
    const added = [1, 2, 3].map((n) => queue.add(() => order.push(n)));
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([]);
    other.exec("COMMIT");
    await Promise.all(added);
    expect(order).toEqual([1, 2, 3]);
    other.close();
    db.close();
  });

  test("says for all at once that it is locked, and asks for each no time of its own", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "store.db");
    const [other, db] = [new Database(path), new Database(path, { timeout: 1 })];
    db.exec("CREATE TABLE t (n)");
    other.exec("BEGIN IMMEDIATE");
    let begun = 0;
    const queue = new CommitQueue({
      db,
      begin: () => ({ finish: () => {} }),
      committed: () => {},
      failed: (error) => {
        begun += 1;
        return error as Error;
      },
    });
    const results = await Promise.allSettled([1, 2, 3].map(() => queue.add(() => {})));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(begun).toBe(1);
    other.close();
    db.close();
  });
});
