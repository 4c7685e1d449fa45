import { checkOneOf } from "../../domain/check.ts";
import { IMPORTABLE_TYPES } from "../../domain/session/agent-type.ts";
import { USAGE_GROUPS } from "../../domain/usage.ts";
import { type Command, has, JSON_OPTION, optionOf } from "../framework/command.ts";
import { usage } from "../framework/parse.ts";
import { parseTime } from "../framework/parse-value.ts";
import { withRollcall } from "../open.ts";

export const command: Command = {
  words: "[PATH]",
  takes: [0, 1],
  about:
    "Counts sessions by status, their durations, tokens and cost; with --resume how well resuming works, against its targets. Each request counts once, sub-agents and removed sessions included; a session without a name counts under that of the session above it. ≥ stands before a cost where not everything was measured or has a price. Days are those of your time zone. What is stored is that of the whole state folder, now.\nWith --scan, counts instead what the histories say that agents keep on disk themselves, as an import would, and stores nothing of it; PATH is another folder or file with histories.",
  options: {
    since: { value: "TIME", about: "only since then, such as 7d or 2026-01-08" },
    until: { value: "TIME", about: "only before then" },
    by: { value: "WHAT", about: "a line for each", choices: USAGE_GROUPS },
    utc: { about: "days of UTC" },
    resume: { about: "the figures of delegations" },
    scan: { about: "tokens and cost of the agents' own histories, by model" },
    from: { value: "TYPE", about: "with --scan: of this agent alone", choices: IMPORTABLE_TYPES },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall stats --since 7d --by model", "what the week cost, by model"],
    ["rollcall stats --by day --since 30d", "what each day cost"],
    ["rollcall stats --scan", "what is in the histories on this computer, without an import"],
    ["rollcall stats --resume", "how often a session could be taken up again"],
  ],
  async run(input, output) {
    if (has(input, "scan")) return (await import("../stats/scan.ts")).runScan(input, output);
    for (const word of [...input.words, optionOf(input, "from")])
      if (word !== undefined) throw usage("A path and --from need --scan.", "stats");
    const by = optionOf(input, "by");
    return withRollcall(output, async (rollcall) => {
      const time = (option: "since" | "until") => {
        const text = optionOf(input, option);
        return text === undefined ? {} : { [option]: parseTime(text, `--${option}`, rollcall.context.now()) };
      };
      const stats = await rollcall.stats({
        ...time("since"),
        ...time("until"),
        ...(by === undefined ? {} : { by: checkOneOf(USAGE_GROUPS, by, "group") }),
        utc: has(input, "utc"),
        resume: has(input, "resume"),
      });
      if (output.isJson) output.json(stats);
      else {
        const { printStats } = await import("../stats/print-stats.ts");
        printStats(stats, output);
      }
      return 0;
    });
  },
};
