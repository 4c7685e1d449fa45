import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { withRollcall } from "../open.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Marks as unknown the sessions of this machine that count as active and for which no living process can be shown.",
  options: { current: { value: "ID", about: "a session to leave alone" }, json: JSON_OPTION },
  examples: [["rollcall reconcile --current self", "after a crash, from inside a session"]],
  async run(input, output) {
    return withRollcall(output, async (rollcall) => {
      const current = optionOf(input, "current");
      const reconciled = await rollcall.reconcile(
        current === undefined ? {} : { current: await rollcall.resolve(current) },
      );
      if (output.isJson) output.json({ reconciled });
      else output.line(`${reconciled} ${reconciled === 1 ? "session is" : "sessions are"} unknown now.`);
      return 0;
    });
  },
};
