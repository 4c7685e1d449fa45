import { RollcallError } from "../../domain/errors.ts";
import { plural } from "../../present/format.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { Progress } from "../framework/progress.ts";
import { withRollcall } from "../open.ts";
import type { RedactReport } from "../redact/redact-existing.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Takes the secrets that are known now (of the environment, of `redact.env`, and all known shapes) out of what was stored before: events, transcripts, the search index, record files and recordings. At the end the database is written anew, since its pages keep what was written over or deleted. It can be stopped and run again at any time. Backups and copies of agents' own files are named and never changed.",
  options: {
    existing: { about: "say that what is stored is to be changed for good" },
    "dry-run": { about: "only count what would be taken out" },
    "no-vacuum": {
      about: "do not write the database anew at the end, which keeps others from writing meanwhile",
    },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall redact --existing --dry-run", "how much would be taken out"],
    ["MY_TOKEN=… rollcall redact --existing", "a secret that was stored before anybody knew it for one"],
  ],
  async run(input, output) {
    if (!has(input, "existing"))
      throw new RollcallError("bad_input", "What is to be redacted?", {
        hint: "Give --existing: it changes what is stored, for good. Count first with --dry-run.",
      });
    return withRollcall(output, async ({ context }) => {
      const { redactExisting } = await import("../redact/redact-existing.ts");
      const report = await withProgress((progress) =>
        redactExisting(context, { isDry: has(input, "dry-run"), vacuum: !has(input, "no-vacuum"), progress }),
      );
      if (output.isJson) output.json(report);
      else print(report, output);
      return 0;
    });
  },
};

/** The bar is gone before anything else is said. */
async function withProgress<T>(work: (show: (done: number, of: number) => void) => Promise<T>): Promise<T> {
  using progress = new Progress("sessions");
  return await work((done, of) => progress.show(done, of));
}

function print(report: RedactReport, output: Output): void {
  const { dryRun, sessions, events, rows, recordings, skipped, backups, copies, vacuumed } = report;
  const places = `${plural(events, "event")} of ${plural(sessions, "session")}, ${plural(rows, "other row")}, ${plural(recordings, "place")} in recordings`;
  output.line(dryRun ? `Would redact ${places}.` : `Redacted ${places}.`);
  if (skipped.length > 0)
    output.line(
      `Left alone, since they run: the recordings of ${skipped.join(", ")}. Run it again when they have ended.`,
    );
  if (backups.length > 0)
    output.line(`Backups may still hold secrets and were not changed: ${backups.join(", ")}`);
  if (copies.length > 0)
    output.line(
      `Copies of agents' own files may still hold secrets and were not changed: ${copies.join(", ")}. Without them a conversation that its agent deleted cannot be resumed.`,
    );
  if (!dryRun && !vacuumed)
    output.line(
      "The database was not written anew, and its pages may hold older copies: run it again without --no-vacuum while nothing else writes.",
    );
}
