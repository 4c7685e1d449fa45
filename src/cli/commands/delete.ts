import { RollcallError } from "../../domain/errors.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import { forEach } from "../framework/for-each.ts";
import { withRollcall } from "../open.ts";

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
    return withRollcall(output, async (rollcall) =>
      forEach(rollcall, output, input.words, {
        work: async (sessionId) => ({ result: await remove(rollcall, sessionId), code: 0 }),
        describe: ({ sessionId }) => `${sessionId} removed.`,
      }),
    );
  },
};

interface Removed {
  readonly sessionId: string;
  readonly removed: true;
}

async function remove(rollcall: Rollcall, sessionId: string): Promise<Removed> {
  if (await rollcall.delete(sessionId)) return { sessionId, removed: true };
  throw new RollcallError("session_not_found", `Session ${sessionId} was removed by someone else meanwhile.`);
}
