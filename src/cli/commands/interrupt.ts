import { type Command, JSON_OPTION } from "../framework/command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Stops the turn in progress by the agent's own means; the agent stays at its prompt.",
  options: { json: JSON_OPTION },
  examples: [["rollcall interrupt build", "as Esc or Ctrl-C would"]],
  async run(input, output) {
    return act(output, input.words[0] as string, "interrupt_session", { said: "Interrupted" });
  },
};
