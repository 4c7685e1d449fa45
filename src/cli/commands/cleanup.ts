import { RollcallError } from "../../domain/errors.ts";
import type { CleanupOptions } from "../../record/cleanup.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { askYes } from "../framework/ask.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import { isTerminal, type Output } from "../framework/output.ts";
import { Progress } from "../framework/progress.ts";
import { withRollcall } from "../open.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Removes sessions, with all that belongs to them, that were not active for some hours and for which no living process can be shown.\nTotals of what they used stay. At a terminal it tells the count and asks first.",
  options: {
    hours: { value: "N", about: "how old the last activity must be (24)" },
    "dry-run": { about: "only name what would be removed" },
    imported: { about: "remove what was imported instead" },
    yes: { short: "y", about: "do not ask" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall cleanup --dry-run", "see what would go"],
    ["rollcall cleanup --hours 168 --yes", "everything older than a week"],
  ],
  async run(input, output) {
    const hours = hoursOf(input);
    const options = { ...(hours === undefined ? {} : { hours }), imported: has(input, "imported") };
    return withRollcall(output, async (rollcall) => {
      const dryRun = has(input, "dry-run");
      if (!dryRun && !has(input, "yes") && output.isTerminal && isTerminal(0)) {
        await confirm((await rollcall.cleanup({ ...options, dryRun: true })).removed.length);
      }
      print(await remove(rollcall, { ...options, dryRun }), dryRun, output);
      return 0;
    });
  },
};

async function remove(rollcall: Rollcall, options: CleanupOptions): Promise<readonly string[]> {
  using progress = new Progress(options.dryRun ? "found" : "removed");
  const { removed } = await rollcall.cleanup({ ...options, progress: (count) => progress.show(count) });
  return removed;
}

function hoursOf(input: Input): number | undefined {
  const given = optionOf(input, "hours");
  if (given === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,6})?$/.test(given)) return Number(given);
  throw new RollcallError("bad_input", `${JSON.stringify(given)} is not a number of hours.`, {
    hint: "Give a number from 0 up.",
  });
}

async function confirm(count: number): Promise<void> {
  if (count === 0 || (await askYes(`Remove ${count} ${count === 1 ? "session" : "sessions"}?`))) return;
  throw new RollcallError("declined", "Nothing was removed.");
}

function print(removed: readonly string[], dryRun: boolean, output: Output): void {
  if (output.isJson) {
    output.json({ removed, dryRun });
    return;
  }
  if (dryRun) for (const id of removed) output.line(id);
  const sessions = `${removed.length} ${removed.length === 1 ? "session" : "sessions"}`;
  output.note(dryRun ? `${sessions} would be removed.` : `${sessions} removed.`);
}
