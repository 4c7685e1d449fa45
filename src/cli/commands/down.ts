import { existsSync } from "node:fs";
import { ensureDaemon } from "../../client/start-daemon.ts";
import { homeFolder, storePath } from "../../home/layout.ts";
import { identifyProcess } from "../../machine/process.ts";
import { plural } from "../../present/format.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { allCarried, daemonGone, daemonOptions, durationOption, findDaemon } from "../live.ts";
import { withRollcall } from "../open.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about: "Stops the daemon. Agents run on and are found again by the next one; --end-all ends them first.",
  options: {
    "end-all": { about: "end every session that Rollcall carries" },
    grace: { value: "DURATION", about: "how long their processes may take to leave (10s)" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall down", "agents run on"],
    ["rollcall down --end-all", "leave no process"],
  ],
  async run(input, output) {
    const graceMs = durationOption(input, "grace");
    const home = homeFolder();
    const found = await findDaemon(home);
    const running = found ? 0 : await countCarried(output, home);
    // Sessions are ended by a daemon: one is started where none runs.
    const needsOne = has(input, "end-all") && running > 0;
    using client = found ?? (needsOne ? await ensureDaemon(daemonOptions(home)) : undefined);
    if (!client) {
      if (output.isJson) output.json({ ended: [], running });
      else
        output.line(`The daemon does not run${running > 0 ? `; ${plural(running, "session")} run on` : ""}.`);
      return 0;
    }
    const daemon = identifyProcess(client.greeting.pid);
    const report = await client.call<{ ended: string[]; running: number }>("stop_daemon", {
      endAll: has(input, "end-all"),
      ...(graceMs === undefined ? {} : { graceMs }),
    });
    await daemonGone(daemon);
    if (output.isJson) output.json(report);
    else
      output.line(
        `The daemon has stopped; ${has(input, "end-all") ? `${plural(report.ended.length, "session")} ended` : `${plural(report.running, "session")} run on`}.`,
      );
    return 0;
  },
};

async function countCarried(output: Output, home: string): Promise<number> {
  if (!existsSync(storePath(home))) return 0;
  return withRollcall(output, async (rollcall) => (await allCarried(rollcall)).length);
}
