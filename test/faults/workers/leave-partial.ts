import { writeFileSync, writeSync } from "node:fs";
import { partialPath } from "../../../src/machine/partial-file.ts";

/** Begins to write a file beside its place, as everything of ours does, and never finishes. */
const [path] = process.argv.slice(2) as [string];

const partial = partialPath(path);
writeFileSync(partial, "half of it", { mode: 0o600 });
writeSync(1, `${partial}\n`);
process.stdin.resume();
