import { test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, TO_A_TURN, TO_THE_END } from "./matrix.ts";
import { begin } from "./turn.ts";

/** The sub-agent is held while the turn that called it says that it is done. */
const DELEGATES =
  '[[call:Task {"description":"helper","prompt":"[[gate:helper]][[text:helped]]","subagent_type":"general-purpose","run_in_background":true}]]';

matrix(
  ({ program, kind }) => {
    test("sub-agent in the background", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, DELEGATES);
      await lab.model.asked("helper");
      await session.at("sub-agent working", "running", { via: TO_A_TURN });
      await session.stays("sub-agent still working", "running", 1500);
      lab.model.open("helper");
      const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
      await session.at("sub-agent and turn done", over, { via: TO_THE_END });
    });
  },
  { programs: ["claude"] },
);
