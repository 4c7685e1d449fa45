import { type Command, JSON_OPTION } from "../framework/command.ts";
import { act } from "../live.ts";

export const command: Command = {
  words: "ID KEY…",
  takes: [2, 1000],
  completes: ["session"],
  about:
    "Presses keys at the terminal of a session: names such as Enter, Escape, Up, C-c, M-x, or single characters.",
  options: { json: JSON_OPTION },
  examples: [
    ["rollcall keys build C-c", "what Ctrl-C does"],
    ["rollcall keys a1b2c3 Down Down Enter", "choose in a menu"],
  ],
  async run(input, output) {
    const [reference, ...keys] = input.words as [string, ...string[]];
    return act(output, reference, "send_keys", { input: { keys }, said: "Pressed in" });
  },
};
