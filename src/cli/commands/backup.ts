import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { backupFolder, homeFolder } from "../../home/layout.ts";
import { bytes } from "../../present/format.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { usage } from "../framework/parse.ts";
import { withRollcall } from "../open.ts";

export const command: Command = {
  words: "[FILE]",
  takes: [0, 1],
  about:
    "Copies the whole store into one new file while others go on writing, and checks the copy. By default into your state folder.",
  options: { list: { about: "list the backups in the state folder" }, json: JSON_OPTION },
  examples: [
    ["rollcall backup", "into the state folder"],
    ["rollcall backup /mnt/usb/rollcall.db", "into a file of your choice"],
  ],
  async run(input, output) {
    const folder = backupFolder(homeFolder());
    const [file] = input.words;
    if (has(input, "list")) {
      if (file !== undefined) throw usage("`backup --list` takes no file.", "backup");
      return printBackups(folder, output);
    }
    return withRollcall(output, async (rollcall) => {
      if (file === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
      const report = await rollcall.backup(
        file === undefined ? join(folder, nameOf(rollcall.context.now())) : resolve(file),
      );
      if (output.isJson) output.json(report);
      else
        output.line(
          `${report.path}  ${bytes(report.bytes)}, ${report.sessions} sessions, ${report.events} events, verified`,
        );
      return 0;
    });
  },
};

/** Needs no store: a damaged one is what backups are for. */
function printBackups(folder: string, output: Output): number {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".db")) : [];
  const backups = names
    .sort()
    .map((name) => ({ path: join(folder, name), bytes: statSync(join(folder, name)).size }));
  if (output.isJson) output.json({ backups });
  else for (const { path, bytes: size } of backups) output.line(`${path}  ${bytes(size)}`);
  return 0;
}

function nameOf(now: number): string {
  const stamp = new Date(now)
    .toISOString()
    .replace(/[-:]/g, "")
    .replace("T", "-")
    .slice(0, 19)
    .replace(".", "-");
  return `rollcall-${stamp}.db`;
}
