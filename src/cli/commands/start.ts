import { RollcallError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import { AGENT_TYPES, type AgentType, type SessionRecord } from "../../domain/session.ts";
import { tmuxAttachCommand } from "../../host/tmux-view.ts";
import { runFolder } from "../../record/config.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { attachTo, canAttach } from "../attach.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../command.ts";
import { IDENTITY_OPTIONS, identityOf } from "../identity.ts";
import { finishWait } from "../last-answer.ts";
import { environmentOf, LAUNCH_OPTIONS, launchOf } from "../launch-options.ts";
import { withDaemon } from "../live.ts";
import { usage } from "../parse.ts";
import { isRemovable, makeWorktree, removeWorktree, type Worktree } from "../worktree.ts";
import { isUsedByOther } from "../worktree-offer.ts";

const { type: _, ...IDENTITY } = IDENTITY_OPTIONS;

export const command: Command = {
  words: "TYPE [TEXT] | -- COMMAND…",
  takes: [0, 2],
  takesRest: true,
  completes: [["claude", "codex", "scripted"]],
  about:
    "Starts an agent, or any command after `--`, and carries it: its state, its end and its output are known from then on.\nAt a terminal it attaches to an interactive session; leave it with the detach key, it goes on. The agent gets this environment and folder.",
  options: {
    ...IDENTITY,
    ...LAUNCH_OPTIONS,
    worktree: { value: "BRANCH", about: "work in a git worktree of its own, on this branch" },
    "wait-pattern": { value: "REGEX", about: "a command whose screen shows this waits for input" },
    "keep-children": { about: "leave processes that outlive the agent alone" },
    wait: { about: "wait for the end, print the last answer, exit by the outcome (makes it autonomous)" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall start scripted", "the scripted agent, attached"],
    ["rollcall start -d --name build -- make -j4", "any command, in the background"],
    ["rollcall start --wait -- npm test", "wait for it; exit 0 only if it succeeded"],
    [`rollcall start scripted "say hello" --kind autonomous`, "a goal to work on without a terminal"],
  ],
  async run(input, output) {
    refuseLater(input);
    const what = whatOf(input);
    const wait = has(input, "wait");
    const identity = identityOf(input);
    const kind = identity.kind ?? (wait ? "autonomous" : "interactive");
    const env = environmentOf(input);
    const launch = launchOf(input);
    return withDaemon(output, async (client, rollcall) => {
      const parent = optionOf(input, "parent");
      const parentId = parent === undefined ? undefined : await rollcall.resolve(parent);
      const worktree = makeWorktree(optionOf(input, "worktree"), launch.cwd);
      const metadata = worktree ? { metadata: { ...identity.metadata, worktree: worktreeOf(worktree) } } : {};
      const starting = client.call<SessionRecord>("start_session", {
        ...identity,
        ...optional("parentId", parentId),
        ...metadata,
        ...what,
        ...launch,
        ...(worktree ? { cwd: worktree.path } : {}),
        kind,
        env,
        channel: identity.channel ?? "cli",
        ...(wait && identity.kind === undefined ? { closesInput: true } : {}),
        ...(has(input, "keep-children") ? { keepChildren: true } : {}),
        ...optional("waitPattern", optionOf(input, "wait-pattern")),
      });
      const session = await starting.catch(async (error: unknown) => {
        const isAlone = worktree?.isNew && isRemovable(worktree);
        if (isAlone && !(await isUsedByOther(rollcall, worktree, null))) removeWorktree(worktree);
        throw error;
      });
      if (wait) return finishWait(client, rollcall, output, { ...session, seq: 0 }, 0);
      const attaches = kind === "interactive" && canAttach(input, output);
      if (attaches) return attachTo(rollcall, output, session.id);
      if (output.isJson) output.json(session);
      else output.line(session.id);
      if (launch.view === "tmux" && !output.isJson)
        output.note(`In tmux: ${tmuxCommand(rollcall, session.id)}`);
      return 0;
    });
  },
};

function worktreeOf({ path, branch, repository }: Worktree): JsonObject {
  return { path, branch, repository };
}

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
    return { agentType: "unknown", args: input.rest, ...optional("prompt", optionOf(input, "prompt")) };
  }
  const agentType = AGENT_TYPES.find((known) => known === type && known !== "unknown");
  if (!agentType) throw notAType(type);
  if (text !== undefined && optionOf(input, "prompt") !== undefined)
    throw usage("The text is given twice: as a word and with --prompt.", "start");
  return { agentType, args: input.rest ?? [], ...optional("prompt", text ?? optionOf(input, "prompt")) };
}

function notAType(type: string): RollcallError {
  return new RollcallError("bad_usage", `${JSON.stringify(type)} is not an agent that Rollcall knows.`, {
    hint: `To start it as a command: \`rollcall start -- ${type} …\`. Known: ${AGENT_TYPES.filter((known) => known !== "unknown").join(", ")}.`,
  });
}

/** Named now, so that nobody takes them for working. */
function refuseLater(input: Input): void {
  for (const name of ["max-cost", "max-tokens"])
    if (optionOf(input, name) !== undefined)
      throw new RollcallError(
        "not_offered",
        `--${name} is not offered yet: usage is not counted live before a later version.`,
        {
          hint: "Use --timeout or --idle-timeout.",
        },
      );
  if (optionOf(input, "kind") === "acp")
    throw new RollcallError("not_offered", "The kind acp is not offered yet.", {
      hint: "Use interactive or autonomous.",
    });
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
