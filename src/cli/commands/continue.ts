import { type Command, JSON_OPTION } from "../command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Lets the processes of a paused session go on; it is in the state that it was in before.",
  options: { json: JSON_OPTION },
  examples: [["rollcall continue build", "after a pause"]],
  async run(input, output) {
    return act(output, input.words[0] as string, "continue_session", { said: "Continued" });
  },
};
