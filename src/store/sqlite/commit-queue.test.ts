import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { RollcallError } from "../../domain/errors.ts";
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
