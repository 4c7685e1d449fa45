// Runs the property tests on cases that no run has drawn before: `npm run fuzz -- [--times N] [--seed S] [FILTER…]`. A red run names
// its seed, which draws the same cases again.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  options: { times: { type: "string", default: "3" }, seed: { type: "string" } },
  allowPositionals: true,
});
const times = values.seed === undefined ? Number(values.times) : 1;
const first = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(first)) {
  console.error("--times and --seed take whole numbers.");
  process.exitCode = 2;
} else process.exitCode = fuzz();

function fuzz(): number {
  const red: number[] = [];
  for (let run = 0; run < times; run++) {
    const seed = (first + run) % 2 ** 31;
    console.log(`seed ${seed}, run ${run + 1} of ${times}`);
    const { status } = spawnSync(process.execPath, [join(root, "scripts", "test.ts"), ...propertyTests()], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ROLLCALL_FUZZ_SEED: String(seed) },
    });
    if (status !== 0) red.push(seed);
  }
  console.log(`${times - red.length} of ${times} runs were green.`);
  for (const seed of red) console.log(`red: npm run fuzz -- --seed ${seed}`);
  return red.length === 0 ? 0 : 1;
}

function propertyTests(): string[] {
  const files = globSync("src/**/*.test.ts", { cwd: root }).filter((file) =>
    readFileSync(join(root, file), "utf8").includes('from "fast-check"'),
  );
  return positionals.length === 0
    ? files
    : files.filter((file) => positionals.some((part) => file.includes(part)));
}
