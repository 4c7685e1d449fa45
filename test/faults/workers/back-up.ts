import { writeSync } from "node:fs";
import { openRollcall } from "../../../src/index.ts";

/** Opens a store, says so, and makes one backup of it. */
const [home, path] = process.argv.slice(2) as [string, string];

await using rollcall = await openRollcall({ home, cwd: home, env: {} });
writeSync(1, "opened\n");
await rollcall.backup(path);
writeSync(1, "done\n");
