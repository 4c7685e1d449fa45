import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { BY_PROJECT, withRollcall } from "../open.ts";
import { IDENTITY_OPTIONS, identityOf } from "../sessions/identity.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Makes the record of a session that someone else carries, and prints its id. It counts as running until someone says otherwise.",
  options: {
    ...IDENTITY_OPTIONS,
    pid: { value: "PID", about: "the process that does the work" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall create --agent terraform-architect --purpose approval_workflow", "one record"],
    [`rollcall create --agent reviewer --task T001 --metadata '{"pr":12}'`, "with a task and metadata"],
    ["rollcall create --name nightly --pid $$ --json", "of this shell, as JSON"],
  ],
  async run(input, output) {
    return withRollcall(
      output,
      async (rollcall) => {
        const parent = optionOf(input, "parent");
        const parentId = parent === undefined ? undefined : await rollcall.resolve(parent);
        const session = await rollcall.create(identityOf(input, parentId));
        if (output.isJson) output.json(session);
        else output.line(session.id);
        return 0;
      },
      BY_PROJECT,
    );
  },
};
