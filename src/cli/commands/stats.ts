import { checkOneOf } from "../../domain/check.ts";
import { USAGE_GROUPS } from "../../domain/usage.ts";
import { bytes, count, duration, money, percent, UNKNOWN } from "../../present/format.ts";
import type { Figure, ResumeFigures } from "../../record/delegate/resume-figures.ts";
import type { Stats } from "../../record/stats/stats.ts";
import { type Command, has, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { parseTime } from "../framework/parse-value.ts";
import { withRollcall } from "../open.ts";
import { paint, table } from "../table.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Counts sessions by status, their durations, tokens and cost; with --resume how well resuming works, against its targets.",
  options: {
    since: { value: "TIME", about: "only since then, such as 7d or 2026-01-08" },
    by: { value: "WHAT", about: "a line for each", choices: USAGE_GROUPS },
    resume: { about: "the figures of delegations" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall stats --since 7d --by model", "what the week cost, by model"],
    ["rollcall stats --resume", "how often a session could be taken up again"],
  ],
  async run(input, output) {
    const by = optionOf(input, "by");
    const since = optionOf(input, "since");
    return withRollcall(output, async (rollcall) => {
      const stats = await rollcall.stats({
        ...(since === undefined ? {} : { since: parseTime(since, "--since", rollcall.context.now()) }),
        ...(by === undefined ? {} : { by: checkOneOf(USAGE_GROUPS, by, "group") }),
        resume: has(input, "resume"),
      });
      if (output.isJson) output.json(stats);
      else print(stats, output);
      return 0;
    });
  },
};

function print(stats: Stats, output: Output): void {
  const { total, withErrors, ...byStatus } = stats.sessions;
  const statuses = Object.entries(byStatus).map(([status, number]) => `${number} ${status}`);
  output.line(`sessions   ${total}: ${statuses.join(", ")}; ${withErrors} with errors`);
  output.line(
    `duration   median ${duration(stats.durationMs.median)}, p95 ${duration(stats.durationMs.p95)}`,
  );
  const partial = stats.usage.partial ? " (partial: not everything was measured)" : "";
  output.line(`usage      ${count(stats.usage.tokensTotal)} tokens, ${money(stats.usage.costUsd)}${partial}`);
  if (stats.unpricedModels.length > 0) output.line(`unpriced   ${stats.unpricedModels.join(", ")}`);
  if (stats.by !== null) printGroups(stats, output);
  if (stats.resume) printResume(stats.resume, output);
}

function printGroups(stats: Stats, output: Output): void {
  const lines = table(
    stats.groups,
    [
      { title: (stats.by ?? "").toUpperCase(), text: ({ group }) => group ?? UNKNOWN, isFlexible: true },
      { title: "SESSIONS", text: ({ sessions }) => String(sessions), isRight: true },
      { title: "TOKENS", text: ({ usage }) => count(usage.tokensTotal), isRight: true },
      { title: "COST", text: ({ usage }) => money(usage.costUsd), isRight: true },
    ],
    { width: output.width, header: true },
  );
  output.line(["", ...lines].join("\n"));
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
