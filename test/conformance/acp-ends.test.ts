import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acpLab, KIND, PROMPT } from "./acp-lab.ts";
import type { Lab } from "./lab.ts";
import { matrix } from "./matrix.ts";
import { begin } from "./turn.ts";
import type { Watched } from "./watched.ts";

const TOOL = "[[risky:touch begun; tail -f /dev/null]]";

const MOMENTS = [
  ["ended by us in mid-turn", "[[text:half]][[gate:never]]", "running"],
  ["ended by us in a tool", TOOL, "running"],
  ["ended by us at a request", "[[risky:touch x]]", "waiting_input:permission"],
] as const;

const SIGNALS = ["SIGTERM", "SIGINT", "SIGKILL"] as const;

/** Where a program leaves with 0 though a signal ended it in mid-turn, as was measured on the program. */
const LEAVES_WITH_0: readonly string[] = ["claude SIGTERM", "claude SIGINT"];

/** Where its first process hears nothing of a signal, as was measured on the program. */
const SWALLOWED: readonly string[] = ["gemini SIGTERM", "gemini SIGINT"];

/** Runs a tool that never ends; one that has to be allowed is. */
async function inTool(lab: Lab): Promise<Watched> {
  const session = await begin(lab, KIND, TOOL);
  const hasBegun = () => existsSync(join(lab.place.project, "begun"));
  await expect
    .poll(async () => hasBegun() || (await session.get()).state === "waiting_input", { timeout: 60_000 })
    .toBe(true);
  if (!hasBegun()) await lab.ok(["approve", session.id]);
  await expect.poll(hasBegun, { timeout: 60_000 }).toBe(true);
  await session.at("tool running", "running", { via: ["running", "waiting_input:permission"] });
  return session;
}

matrix(
  ({ program }) => {
    test("interrupted in mid-turn and at a permission", async () => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, "[[text:half]][[gate:never]]");
      await lab.model.asked("never");
      await session.at("turn running", "running");
      await lab.ok(["interrupt", session.id]);
      const causeMs = await session.inputGivenMs("interrupt");
      const shown = await session.at("interrupted", PROMPT, { causeMs });
      expect(shown.turn).toMatchObject({ outcome: "interrupted" });
      await session.send("[[risky:touch asked-for]]");
      await session.at("permission asked", "waiting_input:permission", { via: ["running"] });
      await lab.ok(["interrupt", session.id]);
      const again = await session.at("interrupted at a permission", PROMPT, { via: ["running"] });
      expect(again.turn).toMatchObject({ outcome: "interrupted" });
      expect(existsSync(join(lab.place.project, "asked-for"))).toBe(false);
      await session.send("[[text:alive]]");
      await session.at("turn done", PROMPT, { via: ["running"] });
    });

    test("interrupted during a tool", async () => {
      await using lab = await acpLab(program);
      const session = await inTool(lab);
      await lab.ok(["interrupt", session.id]);
      const causeMs = await session.inputGivenMs("interrupt");
      const shown = await session.at("interrupted", PROMPT, { causeMs });
      expect(shown.turn).toMatchObject({ outcome: "interrupted" });
    });

    test.each(MOMENTS)("%s", async (moment, text, state) => {
      await using lab = await acpLab(program);
      const session = text === TOOL ? await inTool(lab) : await begin(lab, KIND, text);
      if (text !== TOOL) await session.at("before the end", state, { via: ["running"] });
      const causeMs = Date.now();
      const { killed, remaining } = (await lab.ok(["end", session.id, "--json"])).only;
      const shown = await session.at(moment, "stopped", { via: ["stopping"], causeMs });
      expect(shown).toMatchObject({ outcome: "interrupted" });
      expect([killed, remaining]).toEqual([expect.any(Number), []]);
    });

    test("ended by us before the first turn", async () => {
      await using lab = await acpLab(program);
      const session = await lab.start(KIND);
      await lab.ok(["wait", session.id, "--until", "waiting_input", "--timeout", "60s"]);
      const { remaining } = (await lab.ok(["end", session.id, "--json"])).only;
      const via = ["starting", "running", PROMPT, "stopping"];
      const shown = await session.at("ended before the first turn", "stopped", { via });
      expect([shown.outcome, remaining]).toEqual(["interrupted", []]);
    });

    test.each(SIGNALS)("%s from outside", async (signal) => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, "[[gate:never]]");
      await lab.model.asked("never");
      await session.at("turn running", "running");
      const causeMs = Date.now();
      process.kill(await session.pid(), signal);
      if (SWALLOWED.includes(`${program} ${signal}`)) {
        await session.stays(`swallowed ${signal}`, "running", 1500);
        return;
      }
      await lab.ok(["wait", session.id, "--until", "stopped,failed", "--timeout", "60s"]);
      const isClean = LEAVES_WITH_0.includes(`${program} ${signal}`);
      const via = [PROMPT, "stopping", PROMPT];
      const shown = await session.at(`left by ${signal}`, isClean ? "stopped" : "failed", { via, causeMs });
      expect(shown.outcome).toBe(isClean ? "interrupted" : "failure");
    });
  },
  { kinds: [KIND] },
);
