import { type Command, JSON_OPTION, optionOf } from "../command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Allows what an agent asks permission for. If it asks something else by now, nothing is sent.",
  options: { request: { value: "R", about: "only this request (the one pending)" }, json: JSON_OPTION },
  examples: [
    ["rollcall approve build", "the only request pending"],
    ["rollcall approve a1b2c3 --request r12", "exactly that one"],
  ],
  async run(input, output) {
    const requestId = optionOf(input, "request");
    const request = requestId === undefined ? {} : { requestId };
    return act(output, input.words[0] as string, "answer_request", {
      input: { answer: "approve", ...request },
      said: "Approved in",
    });
  },
};
