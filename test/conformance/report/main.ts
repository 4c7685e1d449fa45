// `npm run conformance` and `npm run scorecard`: the real programs, driven through the command line.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Moment } from "../moments.ts";
import { type Baseline, baselineOf, complaints } from "./compare.ts";
import { scorecard, tallyTable, withMeasured } from "./render.ts";
import { tally } from "./tally.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const SCORECARD = join(root, "docs", "scorecard.md");
const LIFECYCLE = join(root, "docs", "agent-lifecycle.md");
const BASELINE = join(root, "test", "conformance", "baseline.json");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean", default: false },
    agent: { type: "string" },
    version: { type: "string" },
    times: { type: "string", default: "1" },
    write: { type: "boolean", default: false },
  },
});

process.exitCode = main();

function main(): number {
  if (values.version !== undefined && values.agent === undefined) {
    console.error("--version needs --agent: which program is it a version of?");
    return 2;
  }
  const runs = Array.from({ length: Number(values.times) }, () => runOnce());
  const moments = runs.flatMap((run) => run.moments);
  console.log(`\n${tallyTable(tally(moments))}\n`);
  const isWhole = values.agent === undefined && positionals.length === 0;
  const found = isWhole || values.version !== undefined ? compare(runs.map((run) => run.moments)) : [];
  for (const complaint of found) console.log(complaint);
  const hasFailed = runs.some((run) => run.hasFailed) || found.length > 0;
  if (values.write && isWhole && !values.short) write(moments, runs.length, hasFailed);
  console.log(hasFailed ? `Differs from what was measured before.` : "All right.");
  return hasFailed ? 1 : 0;
}

function compare(runs: readonly (readonly Moment[])[]): string[] {
  if (!existsSync(BASELINE)) return [];
  const baseline = JSON.parse(readFileSync(BASELINE, "utf8")) as Baseline;
  const asked = { isShort: values.short, program: values.agent };
  if (values.version !== undefined)
    console.log(`Compared with ${values.agent} ${baseline.versions[values.agent as string]}:`);
  return runs.flatMap((moments) => complaints(moments, baseline, asked));
}

/** What is wrong is told; what must be right from now on is only taken from runs that were. */
function write(moments: readonly Moment[], runs: number, hasFailed: boolean): void {
  writeFileSync(SCORECARD, scorecard(moments, runs));
  writeFileSync(LIFECYCLE, withMeasured(readFileSync(LIFECYCLE, "utf8"), moments));
  if (!hasFailed) writeFileSync(BASELINE, `${JSON.stringify(baselineOf(moments), null, 2)}\n`);
  console.log(`Written to ${SCORECARD} and ${LIFECYCLE}.`);
}

function runOnce(): { readonly moments: readonly Moment[]; readonly hasFailed: boolean } {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-conformance-"));
  const results = join(folder, "moments.jsonl");
  writeFileSync(results, "");
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const config = join(root, "test", "conformance", "vitest.config.ts");
  const { status } = spawnSync(process.execPath, [vitest, "run", "-c", config, ...positionals], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...wish(), ROLLCALL_CONFORMANCE_RESULTS: results },
  });
  const lines = readFileSync(results, "utf8").split("\n").filter(Boolean);
  rmSync(folder, { recursive: true, force: true });
  return { moments: lines.map((line) => JSON.parse(line) as Moment), hasFailed: status !== 0 };
}

function wish(): Record<string, string> {
  const { agent, version } = values;
  return {
    ROLLCALL_CONFORMANCE: values.short ? "short" : "full",
    ...(agent === undefined ? {} : { ROLLCALL_CONFORMANCE_AGENT: agent }),
    ...(agent === undefined || version === undefined
      ? {}
      : { [`ROLLCALL_CONFORMANCE_${agent.toUpperCase()}`]: version }),
  };
}
