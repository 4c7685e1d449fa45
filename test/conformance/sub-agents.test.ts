import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, TO_THE_END, toATurn } from "./matrix.ts";
import { begin } from "./turn.ts";

/** The sub-agent is held while the turn that called it says that it is done. */
const DELEGATES =
  '[[call:Task {"description":"helper","prompt":"[[gate:helper]][[text:helped]]","subagent_type":"general-purpose","run_in_background":true}]]';

/** This one is waited for, and asks for something itself. */
const ASKS =
  '[[call:Task {"description":"helper","prompt":"[[risky:touch helped]][[then]][[gate:after]][[text:helped]]","subagent_type":"general-purpose"}]]';

matrix(
  ({ program, kind }) => {
    test("sub-agent in the background", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, DELEGATES);
      await lab.model.asked("helper");
      await session.at("sub-agent working", "running", { via: toATurn(kind) });
      await session.stays("sub-agent still working", "running", 1500);
      lab.model.open("helper");
      const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
      await session.at("sub-agent and turn done", over, { via: TO_THE_END });
    });

    test("permission of a sub-agent", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, ASKS);
      await session.at("sub-agent asks", "waiting_input:permission", { via: toATurn(kind) });
      expect(JSON.stringify((await session.asked()).input)).toContain("touch helped");
      await lab.ok(["approve", session.id]);
      await lab.model.asked("after");
      await session.at("approved", "running");
      lab.model.open("after");
      const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
      await session.at("sub-agent and turn done", over, { via: TO_THE_END });
      expect(existsSync(join(lab.place.project, "helped"))).toBe(true);
    });
  },
  { programs: ["claude"] },
);

const USED = "[[usage:in=10,out=2,cacheRead=0,cacheWrite=0]]";
const TASK = `${USED}[[call:task ${JSON.stringify({ description: "helper", prompt: `${USED}[[risky:touch helped]][[then]][[gate:after]][[text:helped]]`, subagent_type: "general" })}]]`;

matrix(
  ({ program, kind }) => {
    test("permission of a sub-agent in a database, and its words and usage", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, TASK);
      await session.at("sub-agent asks", "waiting_input:permission", { via: toATurn(kind) });
      expect(JSON.stringify((await session.asked()).input)).toContain("touch helped");
      await lab.ok(["approve", session.id]);
      await lab.model.asked("after");
      await session.at("approved", "running");
      lab.model.open("after");
      const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
      const done = await session.at("sub-agent and turn done", over, { via: TO_THE_END });
      // Two requests of the session, and two of its sub-agent.
      expect(done.usage).toMatchObject({ tokens_input: 20, tokens_output: 4 });
      expect(done.usage_with_children).toMatchObject({ tokens_input: 40, tokens_output: 8 });
      expect((await session.entries()).map(({ text }) => text)).not.toContain("helped");
      const { sessions } = (await lab.ok(["list", "--json"])).json;
      const [child] = sessions.filter(({ parent_id }) => parent_id === session.id);
      expect(child).toMatchObject({ agent_name: "general", state: "stopped", outcome: "success" });
      expect((await lab.ok(["data", String(child?.id)])).stdout).toContain("helped");
    });
  },
  { programs: ["opencode"] },
);
