import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import { withSession } from "../open.ts";
import { attachTo, heedDetachKey } from "../sessions/attach.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Opens the terminal of a session in this one. Ctrl-\\ detaches (`config set attach.detach_key`); closing the window detaches too, the agent never notices.\nThe newest to attach types; others watch until they press a key, which is sent.",
  options: { watch: { about: "only watch" }, json: JSON_OPTION },
  examples: [
    ["rollcall attach build", "by its name"],
    ["rollcall attach last --watch", "look without typing"],
  ],
  async run(input, output) {
    heedDetachKey();
    return withSession(output, input.words[0] as string, async (rollcall, id) =>
      attachTo(rollcall, output, id, { watch: has(input, "watch") }),
    );
  },
};
