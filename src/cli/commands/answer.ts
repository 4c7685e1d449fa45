import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { questionsOf } from "../../present/request.ts";
import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { type Acted, withDaemon } from "../live.ts";

/** More than any agent asks at once. */
const MOST = 20;

export const command: Command = {
  words: "ID CHOICE…",
  takes: [2, 1 + MOST],
  completes: ["session"],
  about:
    "Answers the question of an agent: with the number of a choice, its text, or a text of your own where it takes one. Where it asks several questions at once, give a CHOICE for each, in their order; where one takes several choices, put commas between them.",
  options: { request: { value: "R", about: "only this request (the one pending)" }, json: JSON_OPTION },
  examples: [
    ["rollcall answer build 2", "the second choice"],
    [`rollcall answer a1b2c3 "the staging cluster"`, "by its text"],
    ["rollcall answer planner 1 2,3", "the first of one question, two choices of the next"],
  ],
  async run(input, output) {
    const [reference, ...choices] = input.words as [string, ...string[]];
    const requestId = optionOf(input, "request");
    return withDaemon(output, async (client, rollcall) => {
      const sessionId = await rollcall.resolve(reference);
      if (choices.length > 1) checkCount(await rollcall.get(sessionId), choices.length);
      const done = await client.call<Acted>("answer_request", {
        ...{ sessionId, channel: "cli", answer: "choose", choice: choices.join("\n") },
        ...(requestId === undefined ? {} : { requestId }),
      });
      if (output.isJson) output.json(done);
      else output.line(`Answered in ${sessionId}.`);
      return 0;
    });
  },
};

/** Words that were not quoted are no answers to several questions. */
function checkCount(session: SessionRecord, given: number): void {
  const asked = questionsOf(session).length;
  if (asked === given) return;
  const what = asked === 0 ? "not several questions at once" : `${asked} questions`;
  throw new RollcallError(
    "bad_input",
    `Session ${session.id} asks ${what}, and ${given} answers were given.`,
    {
      hint:
        asked === 0
          ? "Put one answer of several words in quotes."
          : "Give one answer for each, in their order.",
    },
  );
}
