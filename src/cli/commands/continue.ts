import { type Command, JSON_OPTION } from "../framework/command.ts";
import { actOnEach } from "../live.ts";

export const command: Command = {
  words: "ID…",
  takes: [1, 1000],
  completes: ["session"],
  about: "Lets the processes of paused sessions go on; each is in the state that it was in before.",
  options: { json: JSON_OPTION },
  examples: [["rollcall continue build", "after a pause"]],
  async run(input, output) {
    return actOnEach(output, input.words, "continue_session", "Continued");
  },
};
