import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Refuses what an agent asks permission for. If it asks something else by now, nothing is sent.",
  options: {
    request: { value: "R", about: "only this request (the one pending)" },
    reason: { value: "TEXT", about: "why; refused where the agent has no place for a reason" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall deny build", "the only request pending"],
    [`rollcall deny a1b2c3 --reason "use the staging cluster"`, "with a reason"],
  ],
  async run(input, output) {
    const requestId = optionOf(input, "request");
    const reason = optionOf(input, "reason");
    const more = {
      ...(requestId === undefined ? {} : { requestId }),
      ...(reason === undefined ? {} : { reason }),
    };
    return act(output, input.words[0] as string, "answer_request", {
      input: { answer: "deny", ...more },
      said: "Denied in",
    });
  },
};
