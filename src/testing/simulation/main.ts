import { type Run, simulate } from "./run.ts";

/** Runs seeds until one fails; the failing one comes with its trace. */
export async function simulateMany(
  count: number,
  first = 0,
): Promise<{ failed: Run | null; counts: Record<string, number> }> {
  const counts: Record<string, number> = {};
  for (let seed = first; seed < first + count; seed += 1) {
    const run = await simulate(seed);
    for (const [name, times] of Object.entries(run.counts)) counts[name] = (counts[name] ?? 0) + times;
    counts.steps = (counts.steps ?? 0) + run.steps;
    if (run.violations.length > 0) return { failed: await simulate(seed, { isTraced: true }), counts };
  }
  return { failed: null, counts };
}

async function main([count = "1000", first = "0"]: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const { failed, counts } = await simulateMany(Number(count), Number(first));
  if (failed) {
    console.log([...failed.trace, `seed ${failed.seed}:`, ...failed.violations].join("\n"));
    return 1;
  }
  for (const [name, times] of Object.entries(counts).sort(([, a], [, b]) => b - a))
    console.log(`${times}\t${name}`);
  console.log(
    `${count} seeds from ${first} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: all hold.`,
  );
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
