import { RollcallError } from "../../domain/errors.ts";
import { attachTo } from "../attach.ts";
import { type Command, JSON_OPTION } from "../command.ts";
import { withRollcall } from "../open.ts";
import { canAttach, waitingFirst } from "../roll-order.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Attaches to the session that has waited for a person the longest: first those that ask, then those at a prompt.",
  options: { json: JSON_OPTION },
  examples: [["rollcall next", "work through them one by one"]],
  async run(_, output) {
    return withRollcall(output, async (rollcall) => {
      const waiting = await Array.fromAsync(rollcall.list({ state: "waiting_input" }));
      const [longest] = waitingFirst(waiting).filter(canAttach);
      if (!longest)
        throw new RollcallError("wrong_state", "No session waits for you.", { hint: "See `rollcall`." });
      return attachTo(rollcall, output, longest.id);
    });
  },
};
