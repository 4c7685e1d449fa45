import { existsSync } from "node:fs";
import type { Client } from "../../client/client.ts";
import { isFinal } from "../../domain/session/phase.ts";
import type { SessionRecord, SessionRow } from "../../domain/session/session.ts";
import { isLost, NOT_PROVEN } from "../../domain/supervise/decide-end.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, has, type Input, JSON_OPTION } from "../framework/command.ts";
import { forEach } from "../framework/for-each.ts";
import { usage } from "../framework/parse.ts";
import { withDaemon } from "../live.ts";
import { attachTo, canAttach } from "../sessions/attach.ts";
import { environmentOf, LAUNCH_OPTIONS, launchOf, textOf } from "../sessions/launch-options.ts";

const { cwd, prompt, env, timeout, tmux, detach } = LAUNCH_OPTIONS;

export const command: Command = {
  words: "ID [TEXT]",
  takes: [0, 2],
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
    "max-cost": LAUNCH_OPTIONS["max-cost"],
    "max-tokens": LAUNCH_OPTIONS["max-tokens"],
    tmux,
    detach,
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall resume build", "where it left off"],
    [`rollcall resume a1b2c3 "go on" -d`, "with something to do, in the background"],
    ["rollcall resume --all-lost -d", "after a reboot"],
  ],
  async run(input, output) {
    const [reference, text] = input.words;
    if ((reference === undefined) !== has(input, "all-lost"))
      throw usage("`rollcall resume` needs an ID or --all-lost.", "resume");
    const given = textOf(input, text, "resume");
    return withDaemon(output, async (client, rollcall) => {
      const references = reference === undefined ? await allLost(rollcall) : [reference];
      if (references.length === 0) {
        output.line(output.isJson ? `{"results":[]}` : "No session was lost.");
        return 0;
      }
      const resumes = (sessionId: string) => resumeOne(client, rollcall, input, { sessionId, ...given });
      if (reference === undefined)
        return forEach(rollcall, output, references, {
          work: async (sessionId) => ({ result: await resumes(sessionId), code: 0 }),
          describe: ({ id }) => id,
        });
      const session = await resumes(await rollcall.resolve(reference));
      if (session.kind === "interactive" && canAttach(input, output))
        return attachTo(rollcall, output, session.id);
      if (output.isJson) output.json(session);
      else output.line(session.id);
      return 0;
    });
  },
};

async function resumeOne(
  client: Client,
  rollcall: Rollcall,
  input: Input,
  { sessionId, ...text }: { readonly sessionId: string; readonly prompt?: string },
): Promise<SessionRecord> {
  const row = await rollcall.context.store.findRow(sessionId);
  const launch = launchOf(input);
  return client.call<SessionRecord>("resume_session", {
    sessionId,
    ...launch,
    ...text,
    cwd: input.values.has("cwd") ? launch.cwd : (folderOf(row) ?? launch.cwd),
    env: environmentOf(input),
    channel: "cli",
    ...(has(input, "if-resumable") ? { ifResumable: true } : {}),
  });
}

/** An agent finds a conversation in the folder that it began in. */
function folderOf(row: SessionRow | undefined): string | undefined {
  if (row?.carried) return row.carried.launch.cwd;
  const workspace = row?.origin === "imported" ? row.workspacePath : null;
  return workspace !== null && existsSync(workspace) ? workspace : undefined;
}

/** Not those that only say nothing: their process may be there. Nor those whose work is over. */
async function allLost({ context }: Rollcall): Promise<string[]> {
  const { items } = await context.store.list({
    ...{ states: ["unknown"], origins: ["started"], machine: context.config.machine, limit: 0 },
    where: (row) =>
      isLost(row) && row.endReason !== NOT_PROVEN && row.nativeId !== null && !isFinal(row.phase),
  });
  return items.map(({ row }) => row.id);
}
