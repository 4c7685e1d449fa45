import type { Client } from "../../client/client.ts";
import { isLost } from "../../domain/decide-end.ts";
import { isFinal } from "../../domain/phase.ts";
import type { SessionRecord } from "../../domain/session.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { attachTo, canAttach } from "../attach.ts";
import { type Command, has, type Input, JSON_OPTION } from "../command.ts";
import { environmentOf, LAUNCH_OPTIONS, launchOf } from "../launch-options.ts";
import { forEach, withDaemon } from "../live.ts";
import { usage } from "../parse.ts";

const { cwd, prompt, env, timeout, tmux, detach } = LAUNCH_OPTIONS;

export const command: Command = {
  words: "ID",
  takes: [0, 1],
  completes: ["session"],
  about: "Goes on with the conversation of a session that has ended or was lost, under the same id.",
  options: {
    prompt,
    "if-resumable": { about: "only if `should-resume` says yes" },
    "all-lost": { about: "every session whose process was lost, as after a reboot" },
    cwd,
    env,
    "env-file": LAUNCH_OPTIONS["env-file"],
    timeout,
    "idle-timeout": LAUNCH_OPTIONS["idle-timeout"],
    tmux,
    detach,
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall resume build", "where it left off"],
    [`rollcall resume a1b2c3 --prompt "go on" -d`, "with something to do, in the background"],
    ["rollcall resume --all-lost -d", "after a reboot"],
  ],
  async run(input, output) {
    const [reference] = input.words;
    if ((reference === undefined) !== has(input, "all-lost"))
      throw usage("`rollcall resume` needs an ID or --all-lost.", "resume");
    return withDaemon(output, async (client, rollcall) => {
      const references = reference === undefined ? await allLost(rollcall) : [reference];
      if (references.length === 0) {
        output.line(output.isJson ? `{"results":[]}` : "No session was lost.");
        return 0;
      }
      const first = references[0] as string;
      const resumes = async (each: string) => ({
        result: await resumeOne(client, rollcall, input, each),
        code: 0,
      });
      const isAlone = reference !== undefined && canAttach(input, output);
      if (isAlone) {
        const { result } = await resumes(first);
        if (result.kind === "interactive") return attachTo(rollcall, output, result.id);
        output.line(result.id);
        return 0;
      }
      const isList = reference === undefined;
      return forEach(output, references, { work: resumes, describe: ({ id }) => id, isList });
    });
  },
};

async function resumeOne(
  client: Client,
  rollcall: Rollcall,
  input: Input,
  reference: string,
): Promise<SessionRecord> {
  const sessionId = await rollcall.resolve(reference);
  const stored = await rollcall.context.store.find(sessionId);
  const launch = launchOf(input);
  return client.call<SessionRecord>("resume_session", {
    sessionId,
    ...launch,
    cwd: input.values.has("cwd") ? launch.cwd : (stored?.row.carried?.launch.cwd ?? launch.cwd),
    env: environmentOf(input),
    channel: "cli",
    ...(has(input, "if-resumable") ? { ifResumable: true } : {}),
  });
}

/** Not those that only say nothing: their process may be there. Nor those whose work is over. */
async function allLost({ context }: Rollcall): Promise<string[]> {
  const { items } = await context.store.list({
    ...{ states: ["unknown"], origins: ["started"], machine: context.config.machine, limit: 0 },
    where: (row) => isLost(row) && row.nativeId !== null && !isFinal(row.phase),
  });
  return items.map(({ row }) => row.id);
}
