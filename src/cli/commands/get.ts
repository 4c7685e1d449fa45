import { type Command, JSON_OPTION } from "../framework/command.ts";
import { freshen } from "../freshen.ts";
import { withRollcall } from "../open.ts";

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
    return withRollcall(output, async (rollcall) => {
      const freshness = await freshen(rollcall, output);
      const session = await rollcall.get(await rollcall.resolve(input.words[0] as string));
      if (output.isJson) output.json({ ...session, ...freshness });
      else
        output.line((await import("../../present/describe-session.ts")).describeSession(session, Date.now()));
      return 0;
    });
  },
};
