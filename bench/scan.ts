import { readFileSync } from "node:fs";
import { scanUsage } from "../src/history/scan/scan-usage.ts";
import { createPriceRequest } from "../src/telemetry/prices.ts";
import { cliMissing } from "./cli.ts";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { interleave, tookMs } from "./measure.ts";
import { peakMbOf } from "./peak.ts";
import { addTotals, NOTHING, type Totals, writePlainTree } from "./plain-tree.ts";

/** The usage in histories without an import, against a plain loop over all lines of the same files. */
export async function* scan(bench: Bench): AsyncIterable<Figure | NotRun> {
  const root = bench.scratch.folder();
  const given = { sessions: 20, requests: bench.isQuick ? 400 : 2000 };
  const { paths, bytes, totals } = writePlainTree(root, given);
  const env = { HOME: root, CLAUDE_CONFIG_DIR: root };
  const price = createPriceRequest();
  const wrong = [await scannedTotals(env, price), plainTotals(paths)].filter(
    (found) => !isSame(found, totals),
  );
  const compared = await interleave({
    rounds: 7,
    ours: async () => bytes / (await tookMs(async () => void (await scanUsage(env, price)))),
    baseline: async () => bytes / (await tookMs(() => void plainTotals(paths))),
  });
  const note = `${Math.round(bytes / 1e6)} MB, priced, against JSON.parse of each line of the same files; aim 2.5`;
  yield { name: "scan", ...compared, value: compared.ratio, valueUnit: "x", note };
  yield {
    name: "scan-wrong",
    value: wrong.length,
    valueUnit: "count",
    note: "totals that are not those of the tree",
  };
  bench.scratch.remove(root);
  yield* memory(bench);
}

async function* memory(bench: Bench): AsyncIterable<Figure | NotRun> {
  const notRun = cliMissing();
  if (notRun) return yield { name: "scan-memory", notRun };
  const [root, home] = [bench.scratch.folder(), bench.scratch.folder()];
  const { bytes } = writePlainTree(root, { sessions: 1, requests: bench.isQuick ? 8000 : 40_000 });
  const env = { HOME: root, CLAUDE_CONFIG_DIR: root, ROLLCALL_HOME: home };
  const value = peakMbOf(["stats", "--scan", "--json"], env);
  const note = `the peak of a scan of one file of ${Math.round(bytes / 1e6)} MB`;
  yield { name: "scan-memory", value, valueUnit: "MB", note };
  bench.scratch.remove(root);
}

async function scannedTotals(
  env: Parameters<typeof scanUsage>[0],
  price: Parameters<typeof scanUsage>[1],
): Promise<Totals> {
  const { models } = await scanUsage(env, price);
  return models.reduce(
    (sum, { ledger: { requests, sums } }) =>
      addTotals(sum, {
        requests,
        input: sums.tokensInput,
        output: sums.tokensOutput,
        cacheRead: sums.tokensCacheRead,
        cacheWrite: sums.tokensCacheWrite,
      }),
    NOTHING,
  );
}

interface PlainUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

function plainTotals(paths: readonly string[]): Totals {
  const requests = new Map<string, PlainUsage>();
  for (const path of paths) {
    const file = readFileSync(path);
    for (let from = 0, end = file.indexOf(10); end >= 0; from = end + 1, end = file.indexOf(10, from)) {
      const { message } = JSON.parse(file.toString("utf8", from, end)) as {
        readonly message?: { readonly id: string; readonly usage?: PlainUsage };
      };
      if (!message?.usage) continue;
      const earlier = requests.get(message.id)?.output_tokens ?? -1;
      if (message.usage.output_tokens >= earlier) requests.set(message.id, message.usage);
    }
  }
  return [...requests.values()].map(totalsOf).reduce(addTotals, NOTHING);
}

function totalsOf(usage: PlainUsage): Totals {
  return {
    requests: 1,
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  };
}

function isSame(a: Totals, b: Totals): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
