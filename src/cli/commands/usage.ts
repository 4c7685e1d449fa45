import type { Usage } from "../../domain/usage.ts";
import { count, money, plural, UNKNOWN } from "../../present/format.ts";
import type { Column } from "../../present/table.ts";
import { printable } from "../../present/text.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import {
  type CountedRequest,
  type ModelUsage,
  type UsageReport,
  usageReportOf,
} from "../../record/stats/usage-report.ts";
import { reconcileUsage } from "../../record/usage/reconcile-usage.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { withRollcall } from "../open.ts";
import { printReconciled } from "../stats/print-reconciled.ts";
import { table } from "../table.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Shows the tokens and the cost of a session by model, and with --requests by request. Costs that the agent does not report are computed at list prices; a model without a known price is named, never counted as free.",
  options: {
    requests: { about: "one line for each request to a model" },
    reconcile: {
      about:
        "hold what is counted against the agent's own totals, by model; exits 1 where they differ, 4 where it says none",
    },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall usage build", "what did it cost, and which models?"],
    ["rollcall usage build --requests --json", "every request, for a program"],
    ["rollcall usage build --reconcile", "does the agent itself say the same?"],
  ],
  async run(input, output) {
    return withRollcall(output, async (rollcall) => {
      const id = await rollcall.resolve(input.words[0] as string);
      if (has(input, "reconcile")) return reconcile(rollcall, id, output);
      const report = await usageReportOf(rollcall, id, { requests: has(input, "requests") });
      if (output.isJson) output.json(report);
      else print(report, output);
      return 0;
    });
  },
};

async function reconcile(rollcall: Rollcall, id: string, output: Output): Promise<number> {
  const reconciled = await reconcileUsage(rollcall, id);
  if (output.isJson) output.json(reconciled);
  else printReconciled(reconciled, output, rollcall.context.now());
  return reconciled.agrees ? 0 : 1;
}

function print(report: UsageReport, output: Output): void {
  const { usage, usageWithChildren, reported, models, unpricedModels, requests } = report;
  output.line(`usage      ${summary(usage)}`);
  if (usageWithChildren.tokensTotal !== usage.tokensTotal)
    output.line(`with its children  ${summary(usageWithChildren)}`);
  for (const said of reported)
    output.line(`reported   ${count(said.tokensTotal)} tokens, ${money(said.costUsd)} by its ${said.source}`);
  if (unpricedModels.length > 0) output.line(`unpriced   ${unpricedModels.map(printable).join(", ")}`);
  if (models.length > 0) printTable(models, MODEL_COLUMNS, output);
  if (requests !== undefined && requests.length > 0) printTable(requests, REQUEST_COLUMNS, output);
}

function summary(usage: Usage): string {
  const turns = usage.turns === null ? "" : ` in ${plural(usage.turns, "turn")}`;
  const source = usage.costSource === null ? "" : ` (${usage.costSource})`;
  const partial = usage.partial ? "; partial: not everything was measured or priced" : "";
  return `${count(usage.tokensTotal)} tokens${turns}, ${money(usage.costUsd)}${source}${partial}`;
}

type Counts = Pick<
  Usage,
  "tokensInput" | "tokensOutput" | "tokensCacheRead" | "tokensCacheWrite" | "tokensReasoning" | "costUsd"
> & { readonly costSource: string | null };

const MODEL_COLUMNS: readonly Column<ModelUsage>[] = [
  { title: "MODEL", text: ({ model }) => model ?? UNKNOWN, isFlexible: true },
  { title: "REQUESTS", text: ({ requests }) => count(requests), isRight: true },
  ...countColumns<ModelUsage>(({ usage }) => usage),
];

const REQUEST_COLUMNS: readonly Column<CountedRequest>[] = [
  { title: "TIME", text: ({ at }) => at },
  { title: "MODEL", text: ({ model }) => model ?? UNKNOWN, isFlexible: true },
  ...countColumns<CountedRequest>((request) => request),
];

function countColumns<T>(of: (row: T) => Counts): Column<T>[] {
  const number = (title: string, value: (counts: Counts) => string): Column<T> => ({
    title,
    text: (row) => value(of(row)),
    isRight: true,
  });
  return [
    number("INPUT", ({ tokensInput }) => count(tokensInput)),
    number("OUTPUT", ({ tokensOutput }) => count(tokensOutput)),
    number("CACHE READ", ({ tokensCacheRead }) => count(tokensCacheRead)),
    number("CACHE WRITE", ({ tokensCacheWrite }) => count(tokensCacheWrite)),
    number("REASONING", ({ tokensReasoning }) => count(tokensReasoning)),
    number("COST", ({ costUsd }) => money(costUsd)),
    { title: "SOURCE", text: (row) => of(row).costSource ?? UNKNOWN },
  ];
}

function printTable<T>(rows: readonly T[], columns: readonly Column<T>[], output: Output): void {
  output.line(["", ...table(rows, columns, { width: output.width, header: true })].join("\n"));
}
