// The heavier suites: `npm run faults`, `bench`, `e2e`, `soak`, `sanitize`, `simulate`, `conformance`, `scorecard`, `peers`; `-- --short` is the form that CI runs.
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
  simulate: () => node("src/testing/simulation/main.ts", ...(isShort ? ["1000"] : ["10000"])),
  soak: () => node("test/soak/main.ts", ...(isShort ? ["--short"] : [])),
  sanitize: () => sanitize(),
  conformance: () => node("test/conformance/report/main.ts", ...(isShort ? ["--short"] : [])),
  peers: () => node("bench/peers/main.ts"),
  scorecard: () => node("test/conformance/report/main.ts", "--write"),
};

const run = SUITES[name];
if (!run)
  console.error(`There is no suite ${JSON.stringify(name)}. Valid: ${Object.keys(SUITES).join(", ")}.`);
process.exitCode = run ? build() || run() : 2;

/** The tests of the parts in C once more, against builds that watch their memory. */
function sanitize(): number {
  const [holder, attach] = ["holder", "attach"].map((name) =>
    join(root, "dist", "native", `rollcall-${name}-san`),
  ) as [string, string];
  const build = join(root, "native", "build.sh");
  const built =
    spawnSync(build, [holder, "--sanitize"], { stdio: "inherit" }).status ||
    spawnSync(build, [attach, "--attach-sanitize"], { stdio: "inherit" }).status;
  return (
    built ||
    vitest("vitest.config.ts", { ROLLCALL_HOLDER: holder, ROLLCALL_ATTACH: attach }, [
      "src/host/holder",
      "src/host/attach",
    ])
  );
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
