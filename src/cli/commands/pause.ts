import { type Command, JSON_OPTION } from "../command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Stops all processes of a session where they are. `continue` lets them go on; `end` works too.",
  options: { json: JSON_OPTION },
  examples: [["rollcall pause build", "free the machine for a while"]],
  async run(input, output) {
    return act(output, input.words[0] as string, "pause_session", { said: "Paused" });
  },
};
