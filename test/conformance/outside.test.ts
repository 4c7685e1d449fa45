import { once } from "node:events";
import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { isAlive } from "../live/user.ts";
import { byHand, type Lab, newLab } from "./lab.ts";
import { matrix } from "./matrix.ts";

/** How each is started by hand, for one turn; and what can be known once it is gone. */
const BY_HAND = {
  claude: { args: ["-p"], end: "stopped" },
  codex: { args: ["exec", "--skip-git-repo-check"], end: "unknown" },
} as const;

matrix(
  ({ program, kind }) => {
    test("session started outside Rollcall", async () => {
      await using lab = await newLab(program);
      await lab.ok(["up"]);
      const { args, end } = BY_HAND[program];
      using started = byHand(lab, [...args, "[[gate:outside]][[text:said outside]]"]);
      const { child } = started;
      await lab.model.asked("outside");
      const id = await onTheRoll(lab);
      const session = await lab.watch(id, kind);
      await session.at("seen outside", "running", { via: ["resuming", "waiting_input:prompt"] });
      expect(await session.get()).toMatchObject({ agent_type: program, origin: "observed", attached: null });
      expect(await lab.rollcall(["end", id, "--json"])).toMatchObject({ code: 4 });
      expect(await session.get()).toMatchObject({ turn: { number: 1, state: "running" } });
      expect(isAlive(child.pid as number)).toBe(true);
      lab.model.open("outside");
      await once(child, "close");
      await session.at("gone outside", end, { via: ["waiting_input:prompt"] });
      expect(JSON.stringify(await session.entries())).toContain("said outside");
      const turn = { number: 1, state: "done", outcome: "success", error: null };
      expect(await session.get()).toMatchObject({ turn, usage: { turns: 1 } });
    });
  },
  { kinds: ["autonomous"] },
);

async function onTheRoll(lab: Lab): Promise<string> {
  const live = async () => (await lab.ok(["list", "--active-only", "--json"])).json.sessions as Shown[];
  await expect.poll(async () => (await live()).length, { timeout: 30_000 }).toBe(1);
  return (await live())[0]?.id as string;
}
