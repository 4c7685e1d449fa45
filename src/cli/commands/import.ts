import { existsSync } from "node:fs";
import { checkOneOf } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import { IMPORTABLE_TYPES } from "../../domain/session/agent-type.ts";
import { archiveOriginals } from "../../history/archive/archive-originals.ts";
import { importHistory } from "../../history/import-history.ts";
import type { ImportReport } from "../../history/report.ts";
import { importRootsOf } from "../../history/sources.ts";
import { addImportRoots } from "../../home/import-roots.ts";
import { bytes, duration, plural } from "../../present/format.ts";
import type { Context } from "../../record/context.ts";
import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { interrupted } from "../framework/interrupted.ts";
import type { Output } from "../framework/output.ts";
import { keepHeapSmall } from "../framework/small-heap.ts";
import { ImportBar } from "../import-bar.ts";
import { withRollcall } from "../open.ts";

type Choice = Parameters<typeof importRootsOf>[1];

export const command: Command = {
  words: "[PATH]",
  takes: [0, 1],
  about:
    "Takes the histories that agents keep on disk into the record: sessions, transcripts, turns, tokens and cost, each request once. Only what is new since the last time is read, and nothing is written into the agents' folders. PATH is a folder or file with histories; without it, each agent's own folders are looked at.\nFrom then on the daemon goes on with them by itself (settings import.follow and import.interval).\nCtrl-C stops it; the next import goes on from there.",
  options: {
    from: { value: "TYPE", about: "of this agent alone", choices: IMPORTABLE_TYPES },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall import", "everything that is on this computer"],
    ["rollcall import --from claude", "of one agent"],
    ["rollcall import /backup/projects --json", "from another folder, for a program"],
  ],
  async run(input, output) {
    const from = optionOf(input, "from");
    const [path] = input.words;
    if (path !== undefined && !existsSync(path))
      throw new RollcallError("bad_input", `There is no ${path}.`, { hint: "Give a folder or a file." });
    const choice = {
      ...(from === undefined ? {} : { from: checkOneOf(IMPORTABLE_TYPES, from, "agent with a history") }),
      ...(path === undefined ? {} : { path }),
    };
    keepHeapSmall();
    return withRollcall(output, async ({ context }) => {
      using bar = new ImportBar();
      const signal = interrupted();
      const report = await importHistory(context, {
        ...choice,
        signal,
        tell: (progress) => bar.show(progress),
      });
      bar[Symbol.dispose]();
      if (context.config["archive.originals"] && !report.isStopped) await archive(context, choice, output);
      if (!report.isStopped) addImportRoots(context.home, importRootsOf(context.env, choice));
      if (output.isJson) output.json(report);
      else show(report, output);
      return report.isStopped ? 4 : report.failed.length > 0 ? 1 : 0;
    });
  },
};

function named(types: ImportReport["noise"]): string {
  return types.map(({ type, count }) => `${count} ${type}`).join(", ");
}

async function archive(context: Context, choice: Choice, output: Output): Promise<void> {
  const roots = importRootsOf(context.env, choice);
  for (const { path, why } of (await archiveOriginals(context, { roots })).failed)
    output.warn(`${path} was not copied: ${why}`);
}

function show(report: ImportReport, output: Output): void {
  const { found, unchanged, imported, updated, skipped } = report;
  output.line(
    `${plural(imported, "session")} imported, ${updated} updated; ${unchanged} of ${plural(found, "history file")} had nothing new.`,
  );
  if (imported + updated > 0)
    output.line(
      `Read ${bytes(report.bytes)} in ${duration(report.ms)}: ${report.entries} entries, ${plural(report.requests, "model request")}.`,
    );
  if (skipped > 0)
    output.line(`Left alone: ${plural(skipped, "session")} that Rollcall carried or that you deleted.`);
  if (report.unknown.length > 0)
    output.note(
      `Of types that this release does not know, kept for a later one (\`rollcall export ID\` shows them): ${named(report.unknown)}.`,
    );
  if (report.noise.length > 0)
    output.note(`Left out, for they say nothing of a session: ${named(report.noise)}.`);
  if (report.broken > 0)
    output.note(`${plural(report.broken, "line")} could not be read and were passed over.`);
  for (const { path, why } of report.failed) output.warn(`${path}: ${why}`);
  if (report.isStopped) output.note("Stopped; `rollcall import` goes on from here.");
}
