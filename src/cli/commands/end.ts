import type { Client } from "../../client/client.ts";
import { ensureDaemon } from "../../client/start-daemon.ts";
import { RollcallError } from "../../domain/errors.ts";
import { OUTCOMES, type Outcome } from "../../domain/session/outcome.ts";
import { isLive, LIVE_STATES } from "../../domain/session/state.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import { forEach } from "../framework/for-each.ts";
import { usage } from "../framework/parse.ts";
import { allCarried, daemonOptions, durationOption, withDaemon } from "../live.ts";
import { withRollcall } from "../open.ts";
import { type Ended, isProven, notProven } from "../sessions/ended.ts";
import { offerWorktree } from "../sessions/worktree-offer.ts";

export const command: Command = {
  words: "ID…",
  takes: [0, 1000],
  completes: ["session"],
  about:
    "Ends sessions so that no process is left: politely, then with signals, then by force, and says so only when it is proven.\nSessions that it started run on and are named.",
  options: {
    grace: { value: "DURATION", about: "how long its processes may take to leave (10s)" },
    outcome: { value: "OUTCOME", about: "what to record as the outcome", choices: OUTCOMES },
    "no-wait": { about: "return while it is stopping" },
    children: { about: "end the sessions that it started too" },
    all: { about: "every session that Rollcall carries here" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall end build", "one session"],
    ["rollcall end --all --grace 2s", "everything, quickly"],
    ["rollcall end self", "from inside the session"],
  ],
  async run(input, output) {
    const more = moreOf(input);
    if (input.words.length === 0 && !has(input, "all"))
      throw usage("`rollcall end` needs an ID or --all.", "end");
    if (input.words.length > 0 && has(input, "all"))
      throw usage("--all ends every session; leave the ids out.", "end");
    if (has(input, "all") && (await withRollcall(output, allCarried)).length === 0) {
      if (output.isJson) output.json({ results: [] });
      else output.line("No live session.");
      return 0;
    }
    return withDaemon(output, async (client, rollcall) => {
      const references = has(input, "all") ? await allCarried(rollcall) : input.words;
      const ends = async (sessionId: string) => {
        const result = await endOne(client, rollcall, sessionId, more, has(input, "children"));
        // A program gets what is known; a person one sentence.
        if (!isProven(result) && !output.isJson) throw notProven(result);
        return { result, code: isProven(result) ? 0 : 4 };
      };
      const ended: Ended[] = [];
      const code = await forEach(rollcall, output, references, {
        work: ends,
        describe: (result) => {
          ended.push(result);
          return describe(result);
        },
      });
      for (const { session } of ended)
        if (!isLive(session.state)) await offerWorktree(rollcall, output, session);
      return code;
    });
  },
};

function moreOf(input: Input): object {
  const graceMs = durationOption(input, "grace");
  const outcome = optionOf(input, "outcome");
  if (outcome !== undefined && !(OUTCOMES as readonly string[]).includes(outcome))
    throw new RollcallError("bad_input", `${JSON.stringify(outcome)} is not an outcome.`, {
      hint: `Valid: ${OUTCOMES.join(", ")}.`,
    });
  return {
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(outcome === undefined ? {} : { outcome: outcome as Outcome }),
    ...(has(input, "no-wait") ? { wait: false } : {}),
  };
}

async function endOne(
  client: Client,
  rollcall: Rollcall,
  sessionId: string,
  more: object,
  withChildren: boolean,
): Promise<Ended> {
  const isSelf = sessionId === process.env.ROLLCALL_SESSION_ID;
  // The children first: who ends itself does not live to end them.
  const children = withChildren ? await childrenOf(rollcall, sessionId) : [];
  const below = await Promise.all(children.map(async (child) => endOne(client, rollcall, child, more, true)));
  const ended = isSelf
    ? await endSelf(rollcall, { sessionId, channel: "cli", ...more, isSelf })
    : await client.call<Ended>("end_session", { sessionId, channel: "cli", ...more });
  const remaining = [ended, ...below].flatMap((each) => each.remaining);
  return { ...ended, remaining, ...([ended, ...below].every(isProven) ? {} : { isProven: false }) };
}

/**
 * By a connection of its own that stays open as long as this process lives: the daemon signals nothing before it is
 * closed, so that the answer is written and the exit code is ours.
 */
async function endSelf(rollcall: Rollcall, input: object): Promise<Ended> {
  const connection = await ensureDaemon(daemonOptions(rollcall.context.home));
  return connection.call<Ended>("end_session", input);
}

async function childrenOf(rollcall: Rollcall, sessionId: string): Promise<string[]> {
  const { store } = rollcall.context;
  const { items } = await store.list({
    parentId: sessionId,
    states: LIVE_STATES,
    origins: ["started"],
    limit: 0,
  });
  return items.map(({ row }) => row.id);
}

function describe({ session, killed, remaining, children }: Ended): string {
  const how = session.exitSignal ?? (session.exitCode === null ? null : `exit ${session.exitCode}`);
  const details = [how, session.outcome, killed === null || killed === 0 ? null : `${killed} killed`]
    .filter(Boolean)
    .join(", ");
  const lines = [`${session.id} ${session.state}${details === "" ? "" : ` (${details})`}.`];
  if (remaining.length > 0) lines.push(`It left running, as it was told to: pids ${remaining.join(", ")}.`);
  if (children.length > 0)
    lines.push(`It started ${children.join(", ")}, which run on; --children ends them too.`);
  return lines.join("\n");
}
