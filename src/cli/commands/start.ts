import { RollcallError } from "../../domain/errors.ts";
import { NAMED_TYPES, namedType, UNNAMED_TYPE } from "../../domain/session/agent-type.ts";
import type { AgentType, Kind, SessionRecord } from "../../domain/session/session.ts";
import { runFolder } from "../../home/layout.ts";
import { tmuxAttachCommand } from "../../host/tmux-view.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import { usage } from "../framework/parse.ts";
import { withDaemon } from "../live.ts";
import { BY_PROJECT } from "../open.ts";
import { attachTo, canAttach } from "../sessions/attach.ts";
import { IDENTITY_OPTIONS, identityOf } from "../sessions/identity.ts";
import { InterruptNotice } from "../sessions/interrupt-notice.ts";
import { finishWait } from "../sessions/last-answer.ts";
import { environmentOf, keyOption, LAUNCH_OPTIONS, launchOf, textOf } from "../sessions/launch-options.ts";
import { inWorktree, worktreeOf } from "../sessions/worktree-offer.ts";

const { type: _, ...IDENTITY } = IDENTITY_OPTIONS;

/** The kinds in which a plain command leaves by itself when its work is done. */
const ENDING_KINDS: readonly Kind[] = ["interactive", "autonomous"];

export const command: Command = {
  words: "TYPE [TEXT] | -- COMMAND…",
  takes: [0, 2],
  takesRest: true,
  completes: [NAMED_TYPES],
  about: `Starts an agent (${NAMED_TYPES.join(", ")}), or any command after \`--\`, and carries it: its state, its end and its output are known from then on.\nAt a terminal it attaches to an interactive session; leave it with the detach key, it goes on. The agent gets this environment and folder.\nWith --kind acp it is driven over the Agent Client Protocol, which any command may speak.`,
  options: {
    ...IDENTITY,
    ...LAUNCH_OPTIONS,
    worktree: { value: "BRANCH", about: "work in a git worktree of its own, on this branch" },
    "wait-pattern": { value: "REGEX", about: "a command whose screen shows this waits for input" },
    "keep-children": { about: "leave processes that outlive the agent alone" },
    wait: {
      about:
        "wait for the end, print the last answer, exit by the outcome; with --kind interactive, for the end of its turn (makes it autonomous unless --kind says otherwise)",
    },
    key: { value: "KEY", about: "makes a retry safe: the same key within a day starts nothing again" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall start scripted", "the scripted agent, attached"],
    ["rollcall start -d --name build -- make -j4", "any command, in the background"],
    [
      `rollcall start claude "fix it" --max-cost 0.50`,
      "end it when it costs half a dollar, sub-agents included",
    ],
    ["rollcall start --wait -- npm test", "wait for it; exit 0 only if it succeeded"],
    [`rollcall start scripted "say hello" --kind autonomous`, "a goal to work on without a terminal"],
    ["rollcall start --kind acp -- my-agent acp", "any agent that speaks the Agent Client Protocol"],
  ],
  async run(input, output) {
    const what = whatOf(input);
    const wait = has(input, "wait");
    const identity = identityOf(input);
    const kind = identity.kind ?? (wait ? "autonomous" : "interactive");
    const env = environmentOf(input);
    const launch = launchOf(input);
    const key = keyOption(input);
    const hasOwnEnd = namedType(what.agentType) === null && ENDING_KINDS.includes(kind);
    if (wait && !hasOwnEnd && what.prompt === undefined)
      throw usage("There is nothing to wait for: --wait needs a text for the agent.", "start");
    return withDaemon(
      output,
      async (client, rollcall) => {
        const parent = optionOf(input, "parent");
        const parentId = parent === undefined ? undefined : await rollcall.resolve(parent);
        const branch = optionOf(input, "worktree");
        using interrupt = wait ? new InterruptNotice(output) : undefined;
        const session = await inWorktree(rollcall, branch, launch.cwd, async (worktree) =>
          client.call<SessionRecord>("start_session", {
            ...identity,
            ...optional("parentId", parentId),
            ...(worktree ? { metadata: { ...identity.metadata, worktree: worktreeOf(worktree) } } : {}),
            ...what,
            ...launch,
            ...(worktree ? { cwd: worktree.path } : {}),
            kind,
            env,
            channel: identity.channel ?? "cli",
            ...(wait && identity.kind === undefined ? { closesInput: true } : {}),
            ...(has(input, "keep-children") ? { keepChildren: true } : {}),
            ...optional("waitPattern", optionOf(input, "wait-pattern")),
            ...optional("key", key),
          }),
        );
        if (wait) {
          interrupt?.name(session);
          const turn = session.turn === null ? null : 1;
          return await finishWait(client, rollcall, output, { session, after: 0, turn, text: what.prompt });
        }
        const attaches = kind === "interactive" && canAttach(input, output);
        if (attaches) return attachTo(rollcall, output, session.id);
        if (output.isJson) output.json(session);
        else output.line(session.id);
        if (launch.view === "tmux" && !output.isJson)
          output.note(`In tmux: ${tmuxCommand(rollcall, session.id)}`);
        return 0;
      },
      BY_PROJECT,
    );
  },
};

function tmuxCommand({ context }: Rollcall, sessionId: string): string {
  return tmuxAttachCommand({ socketDir: runFolder(context.home), sessionId }).join(" ");
}

function whatOf(input: Input): {
  readonly agentType: AgentType;
  readonly args: readonly string[];
  readonly prompt?: string;
} {
  const [type, text] = input.words;
  if (type === undefined) {
    if (!input.rest || input.rest.length === 0) throw usage("There is nothing to start.", "start");
    return { agentType: UNNAMED_TYPE, args: input.rest, ...optional("prompt", optionOf(input, "prompt")) };
  }
  const agentType = NAMED_TYPES.find((known) => known === type);
  if (!agentType) throw notAType(type);
  return { agentType, args: input.rest ?? [], ...textOf(input, text, "start") };
}

function notAType(type: string): RollcallError {
  return new RollcallError("bad_usage", `${JSON.stringify(type)} is not an agent that Rollcall can start.`, {
    hint: `To start it as a command: \`rollcall start -- ${type} …\`. By name: ${NAMED_TYPES.join(", ")}.`,
  });
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
