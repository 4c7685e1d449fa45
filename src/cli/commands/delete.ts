import { exitCodeOf, RollcallError } from "../../domain/errors.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, JSON_OPTION } from "../command.ts";
import { withRollcall } from "../open.ts";
import { describeError } from "../output.ts";
import { redacted } from "../redacted.ts";

export const command: Command = {
  words: "ID…",
  takes: [1, Number.POSITIVE_INFINITY],
  completes: ["session"],
  about: "Removes sessions with all that belongs to them. Totals of what they used stay.",
  options: { json: JSON_OPTION },
  examples: [
    ["rollcall delete a1b2c3", "one session"],
    ["rollcall rm $(rollcall ls --status failed -q)", "all that failed"],
  ],
  async run(input, output) {
    return withRollcall(output, async (rollcall) => {
      const [only, ...others] = input.words;
      if (others.length === 0) {
        const id = await remove(rollcall, only as string);
        if (output.isJson) output.json({ removed: [id] });
        else output.line(`${id} removed.`);
        return 0;
      }
      const results: object[] = [];
      let worst = 0;
      for (const word of input.words) {
        try {
          const id = await remove(rollcall, word);
          results.push({ sessionId: id, removed: [id] });
          if (!output.isJson) output.line(`${id} removed.`);
        } catch (error) {
          worst = Math.max(worst, exitCodeOf(error));
          results.push({ sessionId: word, error: describeError(error) });
          if (!output.isJson) await output.error(error);
        }
      }
      if (output.isJson) output.json(await redacted({ results }));
      return worst;
    });
  },
};

async function remove(rollcall: Rollcall, reference: string): Promise<string> {
  const id = await rollcall.resolve(reference);
  if (await rollcall.delete(id)) return id;
  throw new RollcallError("session_not_found", `Session ${id} was removed by someone else meanwhile.`);
}
