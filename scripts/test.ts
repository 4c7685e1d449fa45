// The README's test command: builds, runs the fast suites in a HOME and temp folder of their own, and looks for what they left.
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findLeaks, RUN_MARK } from "../src/testing/leak-check.ts";

const root = join(import.meta.dirname, "..");
const mark = randomUUID();
// Short, because the path of a socket has little room.
const temp = mkdtempSync(join(tmpdir(), "rc-"));
// Some tests act as another user, who must be able to pass.
chmodSync(temp, 0o711);
mkdirSync(join(temp, "home"));

execFileSync(process.execPath, [join(root, "scripts", "build.ts")], {
  stdio: ["ignore", "ignore", "inherit"],
});
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { status, signal } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, [RUN_MARK]: mark, TMPDIR: temp, HOME: join(temp, "home") },
});
const leaks = findLeaks(mark, temp);
rmSync(temp, { recursive: true, force: true });
for (const { what } of leaks) console.error(`left behind: ${what}`);
if (leaks.length === 0) console.log("No process and no socket was left behind.");
process.exitCode = signal !== null || leaks.length > 0 ? 1 : (status ?? 1);
