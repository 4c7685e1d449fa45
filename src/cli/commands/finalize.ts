import { checkOneOf } from "../../domain/check.ts";
import { FINAL_PHASES } from "../../domain/session/phase.ts";
import { isLive } from "../../domain/session/state.ts";
import { duration, shortId } from "../../present/format.ts";
import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { withSession } from "../open.ts";

export const command: Command = {
  words: "ID completed|failed|abandoned",
  takes: [2, 2],
  completes: ["session", FINAL_PHASES],
  about:
    "Ends the work on a session for good. Saying the same again changes nothing; another word is refused.",
  options: { summary: { value: "TEXT", about: "what came of it" }, json: JSON_OPTION },
  examples: [
    ['rollcall finalize a1b2c3 completed --summary "applied"', "it is done"],
    ["rollcall finalize last abandoned", "nobody goes on with it"],
  ],
  async run(input, output) {
    const phase = checkOneOf(FINAL_PHASES, input.words[1], "final phase");
    const summary = optionOf(input, "summary");
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      const session = await rollcall.finalize(id, phase, summary === undefined ? {} : { summary });
      const goesOn = isLive(session.state)
        ? ` Its process goes on until \`rollcall end ${shortId(id)}\`.`
        : "";
      if (output.isJson) output.json(session);
      else output.line(`${shortId(id)} is ${session.phase} after ${duration(session.durationMs)}.${goesOn}`);
      return 0;
    });
  },
};
