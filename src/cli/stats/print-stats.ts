import { bar } from "../../present/bar.ts";
import { bytes, count, duration, money, percent, plural, UNKNOWN } from "../../present/format.ts";
import type { Column } from "../../present/table.ts";
import { printable } from "../../present/text.ts";
import type { Figure, ResumeFigures } from "../../record/delegate/resume-figures.ts";
import type { Stats, StatsGroup, StatsTool } from "../../record/stats/stats.ts";
import type { Waits, WaitsByAgent } from "../../record/stats/waits.ts";
import type { Output } from "../framework/output.ts";
import { paint, table } from "../table.ts";
import { describeSizes } from "./describe-sizes.ts";

const BAR_WIDTH = 24;
/** The number of failed tools that are listed; `--json` has all. */
const MOST_TOOLS = 10;

export function printStats(stats: Stats, output: Output): void {
  const { total, withErrors, ...byStatus } = stats.sessions;
  const statuses = Object.entries(byStatus).map(([status, number]) => `${number} ${status}`);
  output.line(`sessions   ${total}: ${statuses.join(", ")}; ${withErrors} with errors`);
  output.line(
    `duration   median ${duration(stats.durationMs.median)}, p95 ${duration(stats.durationMs.p95)}`,
  );
  const partial = stats.usage.partial ? " (partial: not everything was measured)" : "";
  output.line(`usage      ${count(stats.usage.tokensTotal)} tokens, ${money(stats.usage.costUsd)}${partial}`);
  if (stats.unpricedModels.length > 0)
    output.line(`unpriced   ${stats.unpricedModels.map(printable).join(", ")}`);
  if (stats.waits.count > 0) output.line(`waited     ${waited(stats.waits)}`);
  output.line(`stored     ${describeSizes(stats.size)}`);
  if (stats.by !== null) printGroups(stats, output);
  if (stats.waits.byAgent.length > 1) printWaits(stats.waits, output);
  if (stats.tools.some(({ failures }) => failures > 0)) printTools(stats.tools, output);
  if (stats.resume) printResume(stats.resume, output);
}

function waited({ count: waits, open, totalMs, medianMs, longestMs }: Waits): string {
  const still = open === 0 ? "" : `; ${open} still open`;
  const spread = `median ${duration(medianMs)}, longest ${duration(longestMs)}`;
  return `${duration(totalMs)} for people, ${plural(waits, "time")}: ${spread}${still}`;
}

function printWaits({ byAgent, totalMs }: WaitsByAgent, output: Output): void {
  const longest = byAgent[0]?.totalMs ?? totalMs;
  const lines = table(
    byAgent,
    [
      { title: "WAITED FOR PEOPLE", text: ({ agent }) => agent, isFlexible: true },
      { title: "TIMES", text: (waits) => String(waits.count), isRight: true },
      { title: "TOTAL", text: (waits) => duration(waits.totalMs), isRight: true },
      { title: "MEDIAN", text: ({ medianMs }) => duration(medianMs), isRight: true },
      { title: "LONGEST", text: ({ longestMs }) => duration(longestMs), isRight: true },
      barColumn((waits) => waits.totalMs, longest),
    ],
    { width: output.width, header: true },
  );
  output.line(["", ...lines].join("\n"));
}

function printTools(tools: readonly StatsTool[], output: Output): void {
  const failed = tools.filter(({ failures }) => failures > 0).slice(0, MOST_TOOLS);
  const lines = table(
    failed,
    [
      { title: "TOOL", text: ({ tool }) => tool, isFlexible: true },
      { title: "CALLS", text: ({ calls }) => count(calls), isRight: true },
      { title: "FAILED", text: ({ failures }) => count(failures), isRight: true },
      { title: "RATE", text: ({ failureRate }) => percent(failureRate), isRight: true },
      barColumn(({ failures }) => failures, failed[0]?.failures ?? 0),
    ],
    { width: output.width, header: true },
  );
  output.line(["", ...lines].join("\n"));
}

function barColumn<T>(amount: (row: T) => number | null, highest: number): Column<T> {
  return {
    title: "",
    text: (row) => bar(amount(row), highest, BAR_WIDTH),
    style: () => "cyan",
    isOptional: true,
  };
}

function printGroups({ by, groups, timeZone }: Stats, output: Output): void {
  const isPriced = groups.some(({ usage }) => usage.costUsd !== null);
  const amount = ({ usage }: StatsGroup) => (isPriced ? usage.costUsd : usage.tokensTotal);
  const highest = groups.reduce((most, group) => Math.max(most, amount(group) ?? 0), 0);
  const cost = ({ usage }: StatsGroup) =>
    `${usage.partial && usage.costUsd !== null ? "≥" : ""}${money(usage.costUsd)}`;
  const lines = table(
    groups,
    [
      { title: (by ?? "").toUpperCase(), text: ({ group }) => group ?? UNKNOWN, isFlexible: true },
      { title: "SESSIONS", text: ({ sessions }) => String(sessions), isRight: true },
      { title: "TOKENS", text: ({ usage }) => count(usage.tokensTotal), isRight: true },
      { title: "COST", text: cost, isRight: true },
      barColumn(amount, highest),
    ],
    { width: output.width, header: true },
  );
  output.line(["", ...lines].join("\n"));
  if (by === "day") output.line(paint("dim", `\ndays of ${timeZone}`));
}
function printResume(figures: ResumeFigures, output: Output): void {
  const rows: readonly (readonly [string, string, Figure])[] = [
    ["resume rate", percent(figures.resumeRate.value), figures.resumeRate],
    ["resume success rate", percent(figures.resumeSuccessRate.value), figures.resumeSuccessRate],
    ["session duration, median", duration(figures.durationMedianMs.value), figures.durationMedianMs],
    ["session duration, p95", duration(figures.durationP95Ms.value), figures.durationP95Ms],
    ["error rate", percent(figures.errorRate.value), figures.errorRate],
    ["storage", bytes(figures.storageBytes.value ?? 0), figures.storageBytes],
  ];
  const marks = { true: "met", false: "missed", null: UNKNOWN };
  const styles = { true: "green", false: "red", null: "dim" } as const;
  const lines = table(
    rows,
    [
      { title: "FIGURE", text: ([name]) => name },
      { title: "VALUE", text: ([, value]) => value, isRight: true },
      { title: "TARGET", text: ([, , figure]) => figure.target },
      {
        title: "MARK",
        text: ([, , figure]) => marks[`${figure.met}`],
        style: ([, , figure]) => styles[`${figure.met}`],
      },
    ],
    { width: output.width, header: true },
  );
  const { delegations, resumed, succeeded, failed, pending } = figures;
  const told = `${delegations} delegations, ${resumed} told to resume: ${succeeded} went on well, ${failed} did not, ${pending} undecided`;
  const growth = figures.storageGrowthBytesPerDay;
  output.line(["", paint("bold", told), "", ...lines].join("\n"));
  output.line(`storage grows by about ${growth === null ? UNKNOWN : bytes(growth)} a day`);
}
