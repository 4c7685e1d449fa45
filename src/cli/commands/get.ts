import { type Command, JSON_OPTION } from "../command.ts";
import { withSession } from "../open.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about: "Shows one session: what is known of it, line by line, or its whole record as JSON.",
  options: { json: JSON_OPTION },
  examples: [
    ["rollcall get last", "the newest session"],
    ["rollcall get a1b2c3 --json", "by the six digits of a table, as JSON"],
  ],
  async run(input, output) {
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      const session = await rollcall.get(id);
      if (output.isJson) output.json(session);
      else output.line((await import("../show.ts")).describeSession(session, Date.now()));
      return 0;
    });
  },
};
