import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { isLive, STATES, type State } from "../../domain/session/state.ts";
import type { Turn } from "../../domain/session/turn.ts";
import { limitOf } from "../../home/settings.ts";
import { printable } from "../../present/text.ts";
import { turnError } from "../../present/turn.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import { usage } from "../framework/parse.ts";
import { limitOption, withDaemon } from "../live.ts";
import { describeEnd } from "../sessions/describe-end.ts";

interface Waited {
  readonly session: SessionRecord;
  readonly reached: State | null;
  readonly turn: Turn | null;
}

export const command: Command = {
  words: "ID…",
  takes: [1, 1000],
  completes: ["session"],
  about:
    "Waits until all sessions (or any of them) reach one of the states. It is told, it does not ask again and again.\nExits 0 when reached, 4 when a session ends without, 5 when the time is over.",
  options: {
    until: { value: "STATES", about: "separated by commas (waiting_input,stopped,failed,unknown)" },
    any: { about: "until the first of them does" },
    turn: { value: "N", about: "until this turn of one session is over, as `send` returns it" },
    after: { value: "SEQ", about: "only what came after this, as `send` returns it" },
    timeout: { value: "DURATION", about: "at most so long, or `none` (`wait.timeout`)" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall wait build", "until it needs someone or is over"],
    ["rollcall wait a b c --any --timeout 10m", "whoever is first"],
    ["rollcall wait build --until stopped,failed", "until it is over"],
    ["rollcall wait build --turn 3", "until its third turn is over, however short it was"],
  ],
  async run(input, output) {
    const until = statesOf(input);
    const after = countOf(input, "after", 0);
    const turn = countOf(input, "turn", 1);
    checkTurn(input, turn);
    const given = limitOption(input, "timeout");
    return withDaemon(output, async (client, rollcall) => {
      const timeoutMs = given === undefined ? limitOf(rollcall.context.config, "wait.timeout") : given;
      const sessionIds: string[] = [];
      for (const word of input.words) sessionIds.push(await rollcall.resolve(word));
      const { results } = await client.call<{ results: Waited[] }>("wait_for_session", {
        sessionIds,
        ...(until === undefined ? {} : { until }),
        ...(after === undefined ? {} : { after }),
        ...(turn === undefined ? {} : { turn }),
        ...(timeoutMs === null ? {} : { timeoutMs }),
        ...(has(input, "any") ? { any: true } : {}),
      });
      if (output.isJson) output.json({ results });
      else for (const waited of results) output.line(describe(waited));
      return results.some((waited) => isInVain({ ...waited, isTurn: turn !== undefined })) ? 4 : 0;
    });
  },
};

function describe({ session, reached, turn }: Waited): string {
  const { id, state, waiting } = session;
  const error = turnError({ turn });
  if (!isLive(state)) {
    const how = error === null ? describeEnd(session) : `${describeEnd(session)}: ${printable(error)}`;
    return reached === null ? `${id} ended without: ${how}` : `${id} ${how}`;
  }
  const why = error === null ? "" : `; its turn failed: ${printable(error)}`;
  return `${id} ${reached}${waiting === null ? "" : ` (${waiting.for})`}${why}`;
}

function statesOf(input: Input): State[] | undefined {
  return optionOf(input, "until")
    ?.split(",")
    .map((word) => {
      const state = STATES.find((known) => known === word.trim());
      if (state) return state;
      throw new RollcallError("bad_input", `${JSON.stringify(word)} is not a state.`, {
        hint: `Valid: ${STATES.join(", ")}.`,
      });
    });
}

function countOf(input: Input, name: "after" | "turn", least: number): number | undefined {
  const text = optionOf(input, name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  const what = name === "after" ? "a seq" : "the number of a turn";
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not ${what} for --${name}.`, {
    hint: `Give a whole number from ${least} up.`,
  });
}

function checkTurn(input: Input, turn: number | undefined): void {
  if (turn === undefined) return;
  if (input.words.length > 1) throw usage("--turn goes with one ID.", "wait");
  const other = ["until", "after", "any"].find(
    (name) => has(input, name) || optionOf(input, name) !== undefined,
  );
  if (other !== undefined) throw usage(`--turn does not go with --${other}.`, "wait");
}

/** It ended without, or it asks for something and the turn that is waited for goes on. */
function isInVain({ reached, turn, isTurn }: Waited & { readonly isTurn?: boolean }): boolean {
  return reached === null || (isTurn === true && turn?.state !== "done");
}
