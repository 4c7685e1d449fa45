import { type Command, JSON_OPTION, optionOf } from "../command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID CHOICE",
  takes: [2, 2],
  completes: ["session"],
  about:
    "Answers the question of an agent: with the number of a choice, its text, or a text of your own where it takes one.",
  options: { request: { value: "R", about: "only this request (the one pending)" }, json: JSON_OPTION },
  examples: [
    ["rollcall answer build 2", "the second choice"],
    [`rollcall answer a1b2c3 "the staging cluster"`, "by its text"],
  ],
  async run(input, output) {
    const [reference, choice] = input.words as [string, string];
    const requestId = optionOf(input, "request");
    const request = requestId === undefined ? {} : { requestId };
    return act(output, reference, "answer_request", {
      input: { answer: "choose", choice, ...request },
      said: "Answered in",
    });
  },
};
