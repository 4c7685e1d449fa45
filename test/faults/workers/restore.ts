import { writeSync } from "node:fs";
import { restoreDatabase } from "../../../src/store/sqlite/restore.ts";

/** Puts a backup in the place of a store, as `rollcall restore` does. */
const [path, from, stamp] = process.argv.slice(2) as [string, string, string];

writeSync(1, "begin\n");
const { before } = await restoreDatabase(path, from, stamp);
writeSync(1, `${before}\n`);
