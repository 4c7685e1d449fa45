import type { SessionRecord } from "../../domain/session.ts";
import { attachTo, canAttach } from "../attach.ts";
import { type Command, JSON_OPTION, optionOf } from "../command.ts";
import { environmentOf, LAUNCH_OPTIONS, launchOf } from "../launch-options.ts";
import { withDaemon } from "../live.ts";

const { cwd, prompt, env, tmux, detach } = LAUNCH_OPTIONS;

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Begins a new session with a copy of the conversation so far; the first one is not touched.",
  options: {
    name: { value: "NAME", about: "a short name to call it by" },
    prompt,
    cwd,
    env,
    "env-file": LAUNCH_OPTIONS["env-file"],
    tmux,
    detach,
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall fork build", "try another way"],
    [`rollcall fork a1b2c3 --name other --prompt "use the other library" -d`, "with something to do"],
  ],
  async run(input, output) {
    return withDaemon(output, async (client, rollcall) => {
      const sessionId = await rollcall.resolve(input.words[0] as string);
      const stored = await rollcall.context.store.find(sessionId);
      const launch = launchOf(input);
      const name = optionOf(input, "name");
      const session = await client.call<SessionRecord>("fork_session", {
        sessionId,
        ...launch,
        cwd: input.values.has("cwd") ? launch.cwd : (stored?.row.carried?.launch.cwd ?? launch.cwd),
        env: environmentOf(input),
        channel: "cli",
        ...(name === undefined ? {} : { name }),
      });
      const attaches = session.kind === "interactive" && canAttach(input, output);
      if (attaches) return attachTo(rollcall, output, session.id);
      if (output.isJson) output.json(session);
      else output.line(session.id);
      return 0;
    });
  },
};
