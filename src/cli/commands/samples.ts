import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { parseTime } from "../framework/parse-value.ts";
import { withSession } from "../open.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Shows what a session used over time, over all its processes: CPU (of one processor, so that two busy ones are 200%), memory, input and output, and the size of its workspace. Samples are kept in full for a day, then one a minute, after 30 days one an hour.",
  options: {
    since: { value: "TIME", about: "only since then, such as 2h or 2026-01-08" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall samples build", "a line over time for each thing that is measured"],
    ["rollcall samples build --since 10m --json", "for a program"],
  ],
  async run(input, output) {
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      const now = rollcall.context.now();
      const since = optionOf(input, "since");
      const range = since === undefined ? {} : { since: parseTime(since, "--since", now) };
      const session = await rollcall.get(id);
      const samples = await rollcall.samples(id, range);
      if (output.isJson) output.json({ sessionId: id, resources: session.resources, samples });
      else {
        const { describeSamples } = await import("../../present/describe-samples.ts");
        output.line(describeSamples(session, samples, { width: output.width, now }));
      }
      return 0;
    });
  },
};
