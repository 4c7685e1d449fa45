import { count, money, plural, relativeTime, UNKNOWN } from "../../present/format.ts";
import type { Column } from "../../present/table.ts";
import type { Figures } from "../../record/usage/figures.ts";
import type { ReconciledSource, ReconciledUsage } from "../../record/usage/reconcile-usage.ts";
import type { Output } from "../framework/output.ts";
import { table } from "../table.ts";

interface Line {
  readonly source: string;
  readonly model: string | null;
  readonly figures: Figures | null;
  readonly isDifference?: true;
}

/** Prints the counted usage, the figures of each source, and their differences by model. */
export function printReconciled(reconciled: ReconciledUsage, output: Output, now: number): void {
  const { counted, requests, subagents, sources } = reconciled;
  const helpers = subagents.length === 0 ? "" : `, with ${plural(subagents.length, "sub-agent")}`;
  output.line(`counted     ${summary(counted)} in ${plural(requests, "request")}${helpers}`);
  for (const source of sources) output.line(`${source.source.padEnd(11)} ${verdict(source, now)}`);
  const lines = sources.flatMap(linesOf);
  if (lines.length > 0)
    output.line(["", ...table(lines, COLUMNS, { width: output.width, header: true })].join("\n"));
}

function verdict({ reported, difference, agrees, at }: ReconciledSource, now: number): string {
  if (reported === null || difference === null)
    return "counts on from the conversation that was forked: how much was before cannot be told";
  const said = `${summary(reported)} (${relativeTime(at, now)})`;
  if (agrees === null) return `${said}: nothing to compare`;
  if (agrees) return `${said}: agrees`;
  return `${said}: differs by ${signed(difference.tokensTotal, count)} tokens, ${signed(difference.costUsd, money)}`;
}

function summary({ tokensTotal, costUsd }: Figures): string {
  return `${count(tokensTotal)} tokens, ${money(costUsd)}`;
}

function linesOf({ source, models, agrees }: ReconciledSource): Line[] {
  if (agrees !== false) return [];
  return models.flatMap(({ model, counted, reported, difference }) => [
    { source: "counted", model, figures: counted },
    { source, model, figures: reported },
    { source: "difference", model, figures: difference, isDifference: true as const },
  ]);
}

const COLUMNS: readonly Column<Line>[] = [
  { title: "SOURCE", text: ({ source }) => source },
  { title: "MODEL", text: ({ model }) => model ?? UNKNOWN, isFlexible: true },
  figure("INPUT", ({ tokensInput }) => tokensInput),
  figure("OUTPUT", ({ tokensOutput }) => tokensOutput),
  figure("CACHE READ", ({ tokensCacheRead }) => tokensCacheRead),
  figure("CACHE WRITE", ({ tokensCacheWrite }) => tokensCacheWrite),
  figure("COST", ({ costUsd }) => costUsd, money),
];

function figure(
  title: string,
  of: (figures: Figures) => number | null,
  show: (value: number | null) => string = count,
): Column<Line> {
  const text = ({ figures, isDifference }: Line) => {
    const value = figures === null ? null : of(figures);
    return isDifference ? signed(value, show) : show(value);
  };
  return { title, text, isRight: true };
}

function signed(value: number | null, show: (value: number | null) => string): string {
  if (value === null || value === 0) return show(value);
  return `${value > 0 ? "+" : "-"}${show(Math.abs(value))}`;
}
