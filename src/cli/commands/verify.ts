import { plural } from "../../present/format.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import { Progress } from "../framework/progress.ts";
import { withRollcall } from "../open.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Proves that the store is whole: the database is sound, every session has all its events, and replaying them gives exactly what is stored. Exits 1 when anything is wrong.",
  options: { json: JSON_OPTION },
  examples: [["rollcall verify", "check everything"]],
  async run(_input, output) {
    return withRollcall(output, async (rollcall) => {
      const report = await verify(rollcall);
      const isSound = report.problems.length === 0;
      if (output.isJson) output.json({ ...report, ok: isSound });
      else if (isSound)
        output.line(`Sound: ${plural(report.sessions, "session")}, ${plural(report.events, "event")}.`);
      else {
        for (const { sessionId, problem, detail } of report.problems)
          output.warn(`${sessionId ?? "store"}: ${problem} ${JSON.stringify(detail)}`);
        output.line(
          `${plural(report.problems.length, "problem")} in ${plural(report.sessions, "session")}. \`rollcall backup --list\` shows what to go back to, \`rollcall restore FILE\` does it.`,
        );
      }
      return isSound ? 0 : 1;
    });
  },
};

/** The bar is gone before anything else is said. */
async function verify(rollcall: Rollcall): ReturnType<Rollcall["verify"]> {
  using progress = new Progress("sessions");
  return await rollcall.verify((done, of) => progress.show(done, of));
}
