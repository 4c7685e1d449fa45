import { Client, connectDaemon } from "../../client/client.ts";
import { ensureDaemon } from "../../client/start-daemon.ts";
import { RollcallError } from "../../domain/errors.ts";
import { homeFolder, runFolder } from "../../home/layout.ts";
import { loadConfig } from "../../home/settings.ts";
import { identifyProcess } from "../../machine/process.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { daemonGone, daemonOptions } from "../live.ts";

/** Put in by the build, from package.json. */
declare const ROLLCALL_VERSION: string;

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Starts the daemon, or replaces one of another version; agents run on. Live commands start it by themselves when they need it.",
  options: { json: JSON_OPTION },
  examples: [["rollcall up", "now instead of later"]],
  async run(_, output) {
    const home = homeFolder();
    // One that is replaced must have one that can come after it.
    loadConfig(home, undefined);
    const running = await connectDaemon(runFolder(home)).catch(stopStranger);
    if (running instanceof Client && running.greeting.version === ROLLCALL_VERSION)
      return tell(output, running, "runs already");
    if (running instanceof Client) {
      refuseInside();
      await replace(running);
    }
    const client = await ensureDaemon(daemonOptions(home));
    return tell(output, client, running ? `was ${running.greeting.version}, replaced` : "started");
  },
};

/** A session could stop the daemon, and not start the next one. */
function refuseInside(): void {
  if (!process.env.ROLLCALL_SESSION_ID) return;
  throw new RollcallError(
    "daemon_other_version",
    "The daemon is of another version, and a session cannot replace it.",
    {
      hint: "Run `rollcall up` in a terminal of your own.",
    },
  );
}

async function replace(running: Client): Promise<void> {
  const daemon = identifyProcess(running.greeting.pid);
  await running.call("stop_daemon", {});
  await daemonGone(daemon);
}

/** A daemon that speaks another language cannot be asked; it said who it is, and stops at a signal. */
async function stopStranger(error: unknown): Promise<Pick<Client, "greeting">> {
  if (!(error instanceof RollcallError) || error.code !== "daemon_other_version") throw error;
  refuseInside();
  const greeting = error.facts as unknown as Client["greeting"];
  const daemon = identifyProcess(greeting.pid);
  process.kill(daemon.pid, "SIGTERM");
  await daemonGone(daemon);
  return { greeting };
}

function tell(output: Output, client: Client, what: string): number {
  const { version, pid } = client.greeting;
  client[Symbol.dispose]();
  if (output.isJson) output.json({ daemon: { running: true, pid, version } });
  else output.line(`The daemon ${what} (version ${version}, pid ${pid}).`);
  return 0;
}
