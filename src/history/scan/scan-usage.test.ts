import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LedgerSum } from "../../domain/usage.ts";
import { openRollcall } from "../../record/open.ts";
import { CHOSEN_PRICES } from "../../testing/history/cost.ts";
import { IMPORTED_SEEDS, seedsBelow } from "../../testing/history/seeds.ts";
import { generateGeminiTree, generateTree } from "../../testing/history/tree.ts";
import { environmentOf, writeFiles } from "../../testing/history/write-tree.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { importHistory } from "../import-history.ts";
import { loadPrices } from "../prices.ts";
import { scanUsage } from "./scan-usage.ts";

const PARTS = 10;

test.each(seedsBelow(PARTS))(
  "a scan counts each session of generated histories as an import does: part %i",
  async (part) => {
    using folder = tempFolder();
    const env = environmentOf(folder.path);
    const home = join(folder.path, "home");
    mkdirSync(home);
    writeFileSync(join(home, "config.json"), JSON.stringify({ prices: CHOSEN_PRICES }));
    await using rollcall = await openRollcall({ home, cwd: folder.path, env });
    for (const seed of seedsBelow(IMPORTED_SEEDS).filter((one) => one % PARTS === part))
      for (const { files } of [generateTree(seed), generateGeminiTree(seed)]) writeFiles(folder.path, files);
    const { context } = rollcall;
    const { sessions, failed } = await scanUsage(env, await loadPrices(context));
    await importHistory(context);
    const { items } = await context.store.list({ limit: 0 });
    const imported = items.map(({ row, ledger }) => ({ ...row, ledger }));
    expect(failed).toEqual([]);
    expect(named(sessions)).toEqual(named(imported.filter(({ ledger }) => ledger.requests > 0)));
  },
);

function named(
  sessions: readonly { agentType: string; nativeId: string | null; ledger: LedgerSum }[],
): Record<string, LedgerSum> {
  const sums = sessions.map(
    ({ agentType, nativeId, ledger }) => [`${agentType} ${nativeId}`, ledger] as const,
  );
  return Object.fromEntries(sums.sort(([a], [b]) => (a < b ? -1 : 1)));
}
