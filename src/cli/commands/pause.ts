import { type Command, JSON_OPTION } from "../framework/command.ts";
import { actOnEach } from "../live.ts";

export const command: Command = {
  words: "ID…",
  takes: [1, 1000],
  completes: ["session"],
  about: "Stops all processes of sessions where they are. `continue` lets them go on; `end` works too.",
  options: { json: JSON_OPTION },
  examples: [["rollcall pause build", "free the machine for a while"]],
  async run(input, output) {
    return actOnEach(output, input.words, "pause_session", "Paused");
  },
};
