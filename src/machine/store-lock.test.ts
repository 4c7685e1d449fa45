import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { storeLockers } from "./store-lock.ts";

const STORES = 200;

/** Holds the lock of every second store, and those of the others for moments: the kernel's list has pages that change. */
const CHANGE_LOCKS = `
  const open = (_, n) => new (require("better-sqlite3"))(process.argv[1] + "/" + n + ".db");
  const stores = Array.from({ length: ${STORES} }, open);
  for (const db of stores) db.exec("CREATE TABLE t (a)");
  for (const [n, db] of stores.entries()) if (n % 2 === 0) db.exec("BEGIN IMMEDIATE");
  process.stdout.write("busy");
  for (;;) for (const [n, db] of stores.entries()) if (n % 2 === 1) db.exec("BEGIN IMMEDIATE; ROLLBACK");
`;

test("a process that holds the lock of a store is seen at every look, however many others come and go", async () => {
  using folder = tempFolder();
  const holder = spawn(process.execPath, ["-e", CHANGE_LOCKS, folder.path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(holder, "exit");
  await once(holder.stdout, "data");
  const missed = Array.from({ length: 500 }, (_, look) =>
    join(folder.path, `${(2 * look) % STORES}.db`),
  ).filter((path) => !storeLockers(path).includes(holder.pid as number));
  holder.kill("SIGKILL");
  await exited;
  expect(missed).toEqual([]);
});

test("a store that is not there is locked by nobody", () => {
  using folder = tempFolder();
  expect(storeLockers(join(folder.path, "none.db"))).toEqual([]);
});
