/** lock-often PATH: holds the lock of the store for most of the time, in short transactions, and writes nothing. */
import Database from "better-sqlite3";
import { nativeBinding } from "../../../src/store/sqlite/native-binding.ts";

const db = new Database(process.argv[2] as string, { timeout: 10_000, nativeBinding: nativeBinding() });
const wait = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
process.stdout.write("locking\n");
for (;;) {
  db.exec("BEGIN IMMEDIATE");
  wait(20);
  db.exec("COMMIT");
  wait(2);
}
