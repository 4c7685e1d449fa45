import { resolve } from "node:path";
import { homeFolder } from "../../record/config.ts";
import { restoreBackup } from "../../record/restore.ts";
import { restoreFromFiles } from "../../record/restore-files.ts";
import { type Command, JSON_OPTION, optionOf } from "../command.ts";
import { withRollcall } from "../open.ts";
import type { Output } from "../output.ts";
import { usage } from "../parse.ts";

export const command: Command = {
  words: "[FILE]",
  takes: [0, 1],
  about:
    "Puts a backup in the place of the store, after checking it; what was there is kept beside it.\nWith --from-files it rebuilds sessions that the store does not have from the record files of a workspace.",
  options: {
    "from-files": { value: "DIR", about: "a workspace, or a folder of record files" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall restore ~/.rollcall/backups/rollcall-20260108-180530-123.db", "go back to a backup"],
    ["rollcall restore --from-files ~/project", "rebuild from record files"],
  ],
  async run(input, output) {
    const folder = optionOf(input, "from-files");
    const [file] = input.words;
    if ((folder === undefined) === (file === undefined))
      throw usage("`restore` needs a backup file, or --from-files DIR.", "restore");
    return folder === undefined ? fromBackup(file as string, output) : fromFiles(folder, output);
  },
};

async function fromBackup(file: string, output: Output): Promise<number> {
  const report = await restoreBackup(homeFolder(), resolve(file), Date.now());
  if (output.isJson) output.json(report);
  else {
    output.line(`Restored ${report.sessions} sessions and ${report.events} events.`);
    if (report.before !== null) output.line(`What was there before is in ${report.before}.`);
  }
  return 0;
}

async function fromFiles(folder: string, output: Output): Promise<number> {
  return withRollcall(output, async (rollcall) => {
    const report = await restoreFromFiles(rollcall, resolve(folder));
    if (output.isJson) output.json(report);
    else {
      output.line(
        `Restored ${report.restored.length} sessions; ${report.present.length} were there already.`,
      );
      for (const { problem } of report.corrupt) output.warn(problem);
    }
    return report.corrupt.length > 0 ? 1 : 0;
  });
}
