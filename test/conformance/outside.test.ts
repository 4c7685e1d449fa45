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
  gemini: { args: ["-p"], end: "unknown" },
  opencode: { args: ["run"], end: "unknown" },
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
      const via = ["resuming", "running"];
      await session.at("seen outside", "running", { via });
      expect(await session.get()).toMatchObject({ agent_type: program, origin: "observed", attached: null });
      expect(await lab.rollcall(["end", id, "--json"])).toMatchObject({ code: 4 });
      await expect.poll(async () => session.get()).toMatchObject({ turn: { number: 1, state: "running" } });
      expect(isAlive(child.pid as number)).toBe(true);
      lab.model.open("outside");
      await once(child, "close");
      if (program === "gemini") {
        // Its file names no process: that it is gone is known once the file has not grown for a minute.
        await expect.poll(async () => JSON.stringify(await session.entries())).toContain("said outside");
        return;
      }
      await session.at("gone outside", end, { via: ["waiting_input:prompt"] });
      expect(JSON.stringify(await session.entries())).toContain("said outside");
      const turn = { number: 1, state: "done", outcome: "success", error: null };
      expect(await session.get()).toMatchObject({ turn, usage: { turns: 1 } });
    });

    test("history imported, and forked with a text", async () => {
      await using lab = await newLab(program);
      using before = byHand(lab, [...BY_HAND[program].args, "[[text:said before]]"]);
      await once(before.child, "close");
      expect((await lab.ok(["import", "--json"])).json).toMatchObject({ imported: 1, broken: 0 });
      const [imported] = (await lab.ok(["list", "--json"])).json.sessions as Shown[];
      const fork = await lab.ok(["fork", imported?.id as string, "[[text:said after]]", "-d", "--json"]);
      const { id } = fork.json;
      // The history of OpenCode does not say that nobody was at a terminal: its fork waits there.
      await lab.ok(["wait", id, "--turn", "1", "--timeout", "60s"]);
      expect((await lab.ok(["get", id, "--json"])).json).toMatchObject({
        forked_from: imported?.id,
        turn: { number: 1, state: "done", outcome: "success" },
      });
      expect((await lab.ok(["data", id])).stdout).toContain("said after");
      const asked = lab.model.requests.map((request) => JSON.stringify(request));
      expect(asked.some((text) => text.includes("said before") && text.includes("said after"))).toBe(true);
    });
  },
  { kinds: ["autonomous"] },
);

matrix(
  ({ program, kind }) => {
    test("imported session resumed from another folder", async () => {
      await using lab = await newLab(program);
      using before = byHand(lab, [...BY_HAND[program].args, "[[text:said before]]"]);
      await once(before.child, "close");
      await lab.ok(["import"]);
      const [imported] = (await lab.ok(["list", "--json"])).json.sessions as Shown[];
      const id = imported?.id as string;
      expect(imported).toMatchObject({ workspace_path: lab.place.project, origin: "imported" });
      const again = ["resume", id, "-d", "--prompt", "[[gate:again]][[text:said after]]"];
      await lab.ok(again, { cwd: lab.place.root });
      const session = await lab.watch(id, kind);
      await lab.model.asked("again");
      const via = ["stopped", "resuming", "running", "waiting_input:prompt"];
      await session.at("resumed from another folder", "running", { via });
      lab.model.open("again");
      await lab.ok(["wait", id, "--turn", "2", "--timeout", "60s"]);
      expect(await session.get()).toMatchObject({ native_id: imported?.native_id, usage: { turns: 2 } });
      expect(lab.lastTurn()?.prompts).toHaveLength(2);
    });
  },
  { kinds: ["autonomous"] },
);

async function onTheRoll(lab: Lab): Promise<string> {
  const live = async () => (await lab.ok(["list", "--active-only", "--json"])).json.sessions as Shown[];
  await expect.poll(async () => (await live()).length, { timeout: 60_000 }).toBe(1);
  return (await live())[0]?.id as string;
}
