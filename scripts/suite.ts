// The heavier suites: `npm run faults`, `bench`, `e2e`, `soak`, `sanitize`, `conformance`; `-- --short` is the form that CI runs.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const [name = "", ...args] = process.argv.slice(2);
const isShort = args.includes("--short");
const rest = args.filter((arg) => arg !== "--short");

const SUITES: Readonly<Record<string, () => number>> = {
  faults: () => vitest("test/faults/vitest.config.ts", { ROLLCALL_FAULTS: isShort ? "short" : "full" }),
  e2e: () => vitest("test/e2e/vitest.config.ts", { ROLLCALL_E2E: isShort ? "short" : "full" }),
  bench: () => node("bench/main.ts", ...(isShort ? ["--quick"] : [])),
  soak: () => node("test/soak/main.ts", ...(isShort ? ["--short"] : [])),
  sanitize: () => sanitize(),
  conformance: () => {
    console.log("Nothing to run: the real agents come with step 3, and this suite with them.");
    return 0;
  },
};

const run = SUITES[name];
if (!run)
  console.error(`There is no suite ${JSON.stringify(name)}. Valid: ${Object.keys(SUITES).join(", ")}.`);
process.exitCode = run ? build() || run() : 2;

/** The tests of the holder once more, against a build that watches its memory. */
function sanitize(): number {
  const holder = join(root, "dist", "native", "rollcall-holder-san");
  const built = spawnSync(join(root, "native", "build.sh"), [holder, "--sanitize"], { stdio: "inherit" });
  return built.status || vitest("vitest.config.ts", { ROLLCALL_HOLDER: holder }, ["src/host"]);
}

function build(): number {
  return node("scripts/build.ts");
}

function vitest(config: string, env: Record<string, string>, filters: readonly string[] = []): number {
  const program = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  return spawn([program, "run", "-c", join(root, config), ...filters, ...rest], env);
}

function node(script: string, ...more: string[]): number {
  return spawn([join(root, script), ...more, ...(script.startsWith("scripts/") ? [] : rest)], {});
}

function spawn(program: readonly string[], env: Record<string, string>): number {
  const { status } = spawnSync(process.execPath, program, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}
