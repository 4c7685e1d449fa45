import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session.ts";
import { STATES, type State } from "../../domain/state.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../command.ts";
import { durationOption, withDaemon } from "../live.ts";

interface Waited {
  readonly session: SessionRecord;
  readonly reached: State | null;
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
    after: { value: "SEQ", about: "only what came after this, as `send` returns it" },
    timeout: { value: "DURATION", about: "at most so long (for ever)" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall wait build", "until it needs someone or is over"],
    ["rollcall wait a b c --any --timeout 10m", "whoever is first"],
    ["rollcall wait build --until stopped,failed", "until it is over"],
  ],
  async run(input, output) {
    const until = statesOf(input);
    const after = seqOf(input);
    const timeoutMs = durationOption(input, "timeout");
    return withDaemon(output, async (client, rollcall) => {
      const sessionIds: string[] = [];
      for (const word of input.words) sessionIds.push(await rollcall.resolve(word));
      const { results } = await client.call<{ results: Waited[] }>("wait_for_session", {
        sessionIds,
        ...(until === undefined ? {} : { until }),
        ...(after === undefined ? {} : { after }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(has(input, "any") ? { any: true } : {}),
      });
      if (output.isJson) output.json(input.words.length === 1 ? results[0] : { results });
      else for (const waited of results) output.line(describe(waited));
      return results.some(({ reached }) => reached === null) ? 4 : 0;
    });
  },
};

function describe({ session, reached }: Waited): string {
  const how = session.waiting === null ? "" : ` (${session.waiting.for})`;
  return reached === null
    ? `${session.id} ended without: ${session.state}`
    : `${session.id} ${reached}${how}`;
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

function seqOf(input: Input): number | undefined {
  const text = optionOf(input, "after");
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a seq for --after.`, {
    hint: "Give a whole number from 0 up.",
  });
}
