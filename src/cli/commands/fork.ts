import type { SessionRecord, SessionRow } from "../../domain/session/session.ts";
import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { withDaemon } from "../live.ts";
import { attachTo, canAttach } from "../sessions/attach.ts";
import { environmentOf, LAUNCH_OPTIONS, launchOf, textOf } from "../sessions/launch-options.ts";
import { inWorktree, worktreeOf } from "../sessions/worktree-offer.ts";

const { cwd, prompt, env, tmux, detach } = LAUNCH_OPTIONS;

export const command: Command = {
  words: "ID [TEXT]",
  takes: [1, 2],
  completes: ["session"],
  about: "Begins a new session with a copy of the conversation so far; the first one is not touched.",
  options: {
    name: { value: "NAME", about: "a short name to call it by" },
    prompt,
    worktree: { value: "BRANCH", about: "work in a git worktree of its own, on this branch" },
    cwd,
    env,
    "env-file": LAUNCH_OPTIONS["env-file"],
    timeout: LAUNCH_OPTIONS.timeout,
    "idle-timeout": LAUNCH_OPTIONS["idle-timeout"],
    "max-cost": LAUNCH_OPTIONS["max-cost"],
    "max-tokens": LAUNCH_OPTIONS["max-tokens"],
    tmux,
    detach,
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall fork build", "try another way"],
    [`rollcall fork a1b2c3 "use the other library" --name other -d`, "with something to do"],
  ],
  async run(input, output) {
    const [reference, text] = input.words as [string, string | undefined];
    const given = textOf(input, text, "fork");
    return withDaemon(output, async (client, rollcall) => {
      const sessionId = await rollcall.resolve(reference);
      const stored = await rollcall.context.store.find(sessionId);
      const launch = launchOf(input);
      const name = optionOf(input, "name");
      const from = input.values.has("cwd") ? launch.cwd : (folderOf(stored?.row) ?? launch.cwd);
      const session = await inWorktree(rollcall, optionOf(input, "worktree"), from, async (worktree) =>
        client.call<SessionRecord>("fork_session", {
          sessionId,
          ...launch,
          ...given,
          cwd: worktree?.path ?? from,
          env: environmentOf(input),
          channel: "cli",
          ...(name === undefined ? {} : { name }),
          ...(worktree === undefined ? {} : { metadata: { worktree: worktreeOf(worktree) } }),
        }),
      );
      const attaches = session.kind === "interactive" && canAttach(input, output);
      if (attaches) return attachTo(rollcall, output, session.id);
      if (output.isJson) output.json(session);
      else output.line(session.id);
      return 0;
    });
  },
};

/** The folder that a session ran in. One that others started is known by its workspace alone. */
function folderOf(row: SessionRow | undefined): string | null | undefined {
  return row?.carried?.launch.cwd ?? row?.workspacePath;
}
