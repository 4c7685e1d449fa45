import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { freshenRoll } from "../freshen.ts";
import { withRollcall } from "../open.ts";
import { showRoll } from "../roll.ts";
import { Top } from "../top/top.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Shows the roll live, on the whole terminal: who asks first, then who waits at a prompt, then the others.\nKeys: arrows or j and k select, Enter attaches and the detach key comes back, n attaches to who waits longest, a approves, d denies, 1 to 9 answer a question, s sends a text, e ends, ? helps, q leaves. A key that answers or ends counts once what it means has been on the screen for half a second. The bell rings when a session begins to wait or ends.",
  options: {
    note: { value: "TEXT", about: "what to show above the roll" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall top", "until you press q"],
    ["rollcall top --json", "the roll once, for a program"],
  ],
  async run(input, output) {
    if (output.isJson) return showRoll(["--json"], output);
    return withRollcall(output, async (rollcall) => {
      await freshenRoll(rollcall, output);
      return new Top(rollcall, output, optionOf(input, "note")).run();
    });
  },
};
