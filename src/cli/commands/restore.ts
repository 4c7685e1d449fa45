import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import { homeFolder, storePath } from "../../home/layout.ts";
import { restoreFromFiles } from "../../record/files/restore-files.ts";
import { restoreBackup } from "../../record/restore.ts";
import { type Command, has, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { usage } from "../framework/parse.ts";
import { withDaemon } from "../live.ts";
import { withRollcall } from "../open.ts";
import { endLaunches } from "../sessions/end-launches.ts";
import { type Ended, isProven, notProven } from "../sessions/ended.ts";

export const command: Command = {
  words: "[FILE]",
  takes: [0, 1],
  about:
    "Puts a backup in the place of the store, after checking it; what was there is kept beside it. Refused while sessions run that the backup knows nothing of.\nWith --from-files it rebuilds sessions that the store does not have from the record files of a workspace.",
  options: {
    "from-files": { value: "DIR", about: "a workspace, or a folder of record files" },
    end: { about: "first end sessions that run and that the backup knows nothing of" },
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
    if (folder !== undefined && has(input, "end"))
      throw usage("--end is for a backup file: --from-files leaves sessions that run alone.", "restore");
    if (folder !== undefined) return fromFiles(folder, output);
    return fromBackup(resolve(file as string), output, has(input, "end"));
  },
};

async function fromBackup(file: string, output: Output, endsUnseen: boolean): Promise<number> {
  const restore = async () => restoreBackup(homeFolder(), file, Date.now());
  const report = await restore().catch(async (error: unknown) => {
    const unseen = endsUnseen ? unseenIn(error) : undefined;
    if (!unseen) throw error;
    await endAll(unseen, output);
    return restore();
  });
  if (output.isJson) output.json(report);
  else {
    output.line(`Restored ${report.sessions} sessions and ${report.events} events.`);
    if (report.before !== null) output.line(`What was there before is in ${report.before}.`);
  }
  return 0;
}

interface Unseen {
  readonly sessionIds: readonly string[];
  readonly markers: readonly string[];
}

function unseenIn(error: unknown): Unseen | undefined {
  const isRefusal = error instanceof RollcallError && error.code === "process_alive";
  return isRefusal ? (error.facts as unknown as Unseen) : undefined;
}

/** Where the present store is lost or damaged, or does not know it either, only its holder can end it. */
async function endAll({ sessionIds, markers }: Unseen, output: Output): Promise<void> {
  const home = homeFolder();
  if (!existsSync(storePath(home))) return endLaunches(home, markers);
  try {
    await endByDaemon(sessionIds, output);
  } catch (error) {
    if (!(error instanceof RollcallError) || !NO_RECORD.has(error.code)) throw error;
    await endLaunches(home, markers);
  }
}

const NO_RECORD = new Set(["store_corrupt", "store_not_a_database", "session_not_found", "corrupt"]);

async function endByDaemon(ids: readonly string[], output: Output): Promise<void> {
  await withDaemon(output, async (client) => {
    const end = async (sessionId: string) => client.call<Ended>("end_session", { sessionId, channel: "cli" });
    const unproven = (await Promise.all(ids.map(end))).find((ended) => !isProven(ended));
    if (unproven) throw notProven(unproven);
  });
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
