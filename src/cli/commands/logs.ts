import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import { withSession } from "../open.ts";
import { followLogs, printLogs } from "../sessions/logs.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Prints what the terminal of a session showed, as plain text, or the output of one without a terminal.",
  options: {
    follow: { short: "f", about: "go on with what comes, until the session ends" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall logs build", "all that is kept"],
    ["rollcall logs build -f", "and what comes"],
  ],
  async run(input, output) {
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      if (has(input, "follow")) await followLogs(rollcall, output, id);
      else await printLogs(rollcall, output, id);
      return 0;
    });
  },
};
