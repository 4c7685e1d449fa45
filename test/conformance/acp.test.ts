import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acpLab, KIND, PROMPT } from "./acp-lab.ts";
import { COMING_UP, matrix, slowTest } from "./matrix.ts";
import type { ProgramName } from "./programs.ts";
import { begin } from "./turn.ts";

const RISKY = "[[risky:touch asked-for]][[then]][[gate:after]][[text:finished]]";

const USING = "[[usage:in=100,out=20,cacheRead=3000,cacheWrite=400,reasoning=7]]";

/** The sums of two requests to the model, each with these figures. */
const USED: Readonly<Record<ProgramName, object>> = {
  claude: {
    ...{ tokens_input: 200, tokens_output: 40, tokens_cache_read: 6000, tokens_cache_write: 800 },
    ...{ cost_source: "computed", partial: false },
  },
  codex: {
    ...{ tokens_input: 200, tokens_output: 40, tokens_cache_read: 6000, tokens_cache_write: 800 },
    // By our table alone, which has no price for the model of the test.
    cost_source: "unpriced",
  },
  // Cache writes count as input in their protocols.
  gemini: {
    ...{ tokens_input: 1000, tokens_output: 40, tokens_cache_read: 6000, tokens_cache_write: 0 },
    ...{ tokens_reasoning: 14, cost_source: "computed", partial: false },
  },
  opencode: {
    ...{ tokens_input: 1000, tokens_output: 40, tokens_cache_read: 6000, tokens_cache_write: 0 },
    ...{ tokens_reasoning: 14, cost_source: "reported", partial: false },
  },
};

matrix(
  ({ program }) => {
    test("start to ready", async () => {
      await using lab = await acpLab(program);
      const causeMs = Date.now();
      const session = await lab.start(KIND);
      const shown = await session.at("ready", PROMPT, { via: COMING_UP, causeMs, isComingUp: true });
      expect(shown).toMatchObject({ native_id: expect.any(String), state_source: "protocol" });
    });

    test("folder that is not trusted", async () => {
      await using lab = await acpLab(program, { isTrusted: false, isKeyApproved: false });
      const session = await lab.start(KIND);
      await session.at("ready without a dialog", PROMPT, { via: COMING_UP });
      await session.send("[[risky:touch asked-for]]");
      await session.at("permission asked", "waiting_input:permission", { via: ["running"] });
      expect(existsSync(join(lab.place.project, "asked-for"))).toBe(false);
    });

    test("first text, then wait", async () => {
      await using lab = await acpLab(program);
      const session = await lab.start(KIND, "[[think:hm]][[gate:first]][[text:first answer]]");
      await lab.model.asked("first");
      await session.stays("turn running", "running", 300, { via: COMING_UP });
      lab.model.open("first");
      await session.at("turn done", PROMPT);
      for (const number of [1, 2, 3]) {
        const { json } = await lab.ok([
          "send",
          session.id,
          "--wait",
          "--json",
          "--",
          `[[text:answer ${number}]]`,
        ]);
        expect(json).toMatchObject({ answer: `answer ${number}`, turn: { number: number + 1 } });
      }
      await session.at("instant answers", PROMPT, { via: ["running", PROMPT, "running", PROMPT, "running"] });
      const said = (await session.entries()).filter(
        ({ role, kind }) => role === "assistant" && kind === "text",
      );
      // Codex begins with warnings of its own.
      const answers = said.map(({ text }) => text ?? "").filter((text) => text.includes("answer"));
      expect(answers).toEqual(["first answer", "answer 1", "answer 2", "answer 3"]);
    });

    slowTest("slow answer", async () => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, "[[slow:15]][[text:late]]");
      await session.stays("silent for 13 s", "running", 13_000, { via: ["running"] });
      await session.at("turn done", PROMPT);
    });

    test("permission asked, approved and denied", async () => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, RISKY);
      await session.at("permission asked", "waiting_input:permission", { via: ["running"] });
      const request = await session.asked();
      expect(JSON.stringify(request.input)).toContain("touch asked-for");
      await lab.ok(["approve", session.id, "--request", request.request_id]);
      await lab.model.asked("after");
      await session.at("approved", "running", { causeMs: await session.inputGivenMs("answer") });
      const late = await lab.rollcall(["deny", session.id, "--request", request.request_id, "--json"]);
      expect(late).toMatchObject({ code: 4, error: { code: "no_request" } });
      expect(existsSync(join(lab.place.project, "asked-for"))).toBe(true);
      lab.model.open("after");
      await session.at("turn done", PROMPT);
      await session.send("[[risky:touch denied]]");
      await session.at("second permission", "waiting_input:permission", { via: ["running"] });
      expect((await session.asked()).request_id).not.toBe(request.request_id);
      await lab.ok(["deny", session.id]);
      await session.at("denied", PROMPT, { via: ["running"] });
      expect(existsSync(join(lab.place.project, "denied"))).toBe(false);
      const kinds = (await session.entries()).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "tool_call")).toHaveLength(2);
    });

    test("usage and cost of each request", async () => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, `${USING}[[tool:echo from-the-tool]][[then]][[text:one]]`);
      await session.at("turn done", PROMPT, { via: ["running"] });
      await expect
        .poll(async () => (await session.get()).usage)
        .toMatchObject({ turns: 1, ...USED[program] });
    });
  },
  { kinds: [KIND] },
);
