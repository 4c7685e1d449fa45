import { existsSync } from "node:fs";
import { checkOneOf } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import { IMPORTABLE_TYPES } from "../../domain/session/agent-type.ts";
import { EMPTY_LEDGER, type LedgerSum, mergeLedgers, usageOfLedger } from "../../domain/usage.ts";
import { loadPrices } from "../../history/prices.ts";
import { type ScanReport, scanUsage } from "../../history/scan/scan-usage.ts";
import { bytes, count, duration, money, plural, UNKNOWN } from "../../present/format.ts";
import { has, type Input, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { usage } from "../framework/parse.ts";
import { keepHeapSmall } from "../framework/small-heap.ts";
import { withRollcall } from "../open.ts";
import { table } from "../table.ts";

/** Only what is stored can be asked for these. */
const STORED_ONLY = ["since", "until", "by"] as const;

/** `rollcall stats --scan`: tokens and cost in the agents' own histories. Exit 1 where a file could not be read. */
export async function runScan(input: Input, output: Output): Promise<number> {
  const unfit = [
    ...STORED_ONLY.filter((name) => optionOf(input, name) !== undefined),
    ...["utc", "resume"].filter((name) => has(input, name)),
  ];
  if (unfit.length > 0) throw usage(`--scan and --${unfit[0]} do not go together.`, "stats");
  const [path] = input.words;
  const from = optionOf(input, "from");
  if (path !== undefined && !existsSync(path))
    throw new RollcallError("bad_input", `There is no ${path}.`, { hint: "Give a folder or a file." });
  keepHeapSmall();
  return withRollcall(output, async ({ context }) => {
    const report = await scanUsage(context.env, await loadPrices(context), {
      ...(from === undefined ? {} : { from: checkOneOf(IMPORTABLE_TYPES, from, "agent with a history") }),
      ...(path === undefined ? {} : { path }),
    });
    if (output.isJson) output.json(toJson(report));
    else print(report, output);
    return report.failed.length > 0 ? 1 : 0;
  });
}

function toJson({ models, sessions, ...report }: ScanReport): object {
  return {
    ...report,
    usage: usageOf(total(models)),
    models: models.map(withUsage),
    sessions: sessions.map(withUsage),
  };
}

function print({ files, bytes: size, ms, models, sessions, failed }: ScanReport, output: Output): void {
  const all = usageOf(total(models));
  output.line(
    `${plural(sessions.length, "session")} in ${plural(files, "history file")}, ${bytes(size)} in ${duration(ms)}: ${count(all.tokensTotal)} tokens, ${cost(all)}.`,
  );
  for (const { path, why } of failed) output.warn(`${path}: ${why}`);
  if (models.length === 0) return;
  const rows = models.map((one) => ({ ...one, usage: usageOf(one.ledger) }));
  const tokens = (title: string, of: (one: (typeof rows)[number]) => number | null) => ({
    title,
    text: (one: (typeof rows)[number]) => count(of(one)),
    isRight: true,
  });
  const lines = table(
    rows,
    [
      { title: "AGENT", text: ({ agentType }) => agentType },
      { title: "MODEL", text: ({ model }) => model ?? UNKNOWN, isFlexible: true },
      tokens("REQUESTS", ({ ledger }) => ledger.requests),
      tokens("INPUT", (one) => one.usage.tokensInput),
      tokens("OUTPUT", (one) => one.usage.tokensOutput),
      tokens("CACHE READ", (one) => one.usage.tokensCacheRead),
      tokens("CACHE WRITE", (one) => one.usage.tokensCacheWrite),
      { title: "COST", text: (one) => cost(one.usage), isRight: true },
    ],
    { width: output.width, header: true },
  );
  output.line(["", ...lines].join("\n"));
}

function cost({ costUsd, partial }: ReturnType<typeof usageOfLedger>): string {
  return `${partial && costUsd !== null ? "≥" : ""}${money(costUsd)}`;
}

function total(models: ScanReport["models"]): LedgerSum {
  return models.reduce((sum, { ledger }) => mergeLedgers(sum, ledger), EMPTY_LEDGER);
}

function withUsage<T extends { readonly ledger: LedgerSum }>({ ledger, ...rest }: T): object {
  return { ...rest, requests: ledger.requests, usage: usageOf(ledger) };
}

/** Turns are not counted: their lines are not read. */
function usageOf(ledger: LedgerSum) {
  return usageOfLedger(ledger, null);
}
