import { type Command, has, JSON_OPTION, optionOf } from "../framework/command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Allows what an agent asks permission for. If it asks something else by now, nothing is sent.",
  options: {
    request: { value: "R", about: "only this request (the one pending)" },
    always: { about: "and let it ask no more for calls like this one, where the agent offers that" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall approve build", "the only request pending"],
    ["rollcall approve a1b2c3 --request r12", "exactly that one"],
    ["rollcall approve build --always", "by the agent's own \"don't ask again\""],
  ],
  async run(input, output) {
    const requestId = optionOf(input, "request");
    const request = requestId === undefined ? {} : { requestId };
    return act(output, input.words[0] as string, "answer_request", {
      input: { answer: "approve", ...(has(input, "always") ? { always: true } : {}), ...request },
      said: "Approved in",
    });
  },
};
