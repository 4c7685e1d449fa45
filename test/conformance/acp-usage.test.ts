import { expect, test, vi } from "vitest";
import { acpLab, KIND, PROMPT } from "./acp-lab.ts";
import { expectSameFromDisk } from "./from-disk.ts";
import { matrix } from "./matrix.ts";
import { begin } from "./turn.ts";

const USED = "[[usage:in=10,out=100,cacheRead=3000,cacheWrite=400]]";
const HELPER_USED = "[[usage:in=5,out=6,cacheRead=7,cacheWrite=8]]";
const TOKENS = 3510;
const STEP = "[[tool:echo step]][[then]]";

/** Those whose transcripts are read beside the protocol. */
const PROGRAMS = ["claude", "codex"] as const;

/** A helper that is waited for. Codex offers its default model, which has no price, these tools. */
const DELEGATES: Readonly<Record<(typeof PROGRAMS)[number], string>> = {
  claude: `[[call:Task ${JSON.stringify({ description: "helper", prompt: `${HELPER_USED}[[text:helped]]`, subagent_type: "general-purpose" })}]]`,
  codex: `[[call:collaboration.spawn_agent ${JSON.stringify({ task_name: "helper", message: `${HELPER_USED}[[text:helped]]`, fork_turns: "none" })}]][[then]][[call:collaboration.wait_agent {"timeout_ms":60000}]]`,
};

// Gemini CLI and OpenCode have rows of their own.
matrix(
  ({ program }) => {
    test("usage of each request while the turn goes on, and of a sub-agent, live and from disk", async () => {
      await using lab = await acpLab(program);
      const text = `${USED}${STEP}[[gate:second]]${DELEGATES[program]}[[then]][[text:done]]`;
      const session = await begin(lab, KIND, text);
      await lab.model.asked("second");
      await expect.poll(async () => (await session.get()).usage).toMatchObject({ tokens_total: TOKENS });
      await lab.killDaemon();
      lab.model.open("second");
      await lab.ok(["up"]);
      await session.at("turn done", PROMPT, { via: ["running"] });
      await expect
        .poll(async () => {
          const { sessions } = (await lab.ok(["list", "--json"])).json;
          const helper = sessions.find(({ parent_id }) => parent_id === session.id);
          return (helper?.usage as { tokens_total: number } | undefined)?.tokens_total;
        })
        .toBe(26);
      // Requests that the adapter of Claude makes beside the conversation are in no transcript.
      const native = [String((await session.get()).native_id)];
      await vi.waitFor(() => expectSameFromDisk(lab, native), { timeout: 20_000, interval: 500 });
      expect((await lab.ok(["usage", session.id])).stdout).toMatch(/^reported .* tokens, .* by its stream$/m);
    });

    test("a budget ends a session in the middle of its turn", async () => {
      await using lab = await acpLab(program);
      const text = `${USED}${STEP}${STEP}[[gate:third]][[text:done]]`;
      const session = await begin(lab, KIND, text, "--max-tokens", "7000");
      await lab.ok(["wait", session.id, "--until", "stopped", "--timeout", "60s"]);
      const ended = await session.get();
      expect(ended).toMatchObject({ outcome: "interrupted", end_reason: "max_tokens: 7020 of 7000 tokens" });
    });
  },
  { kinds: [KIND], programs: PROGRAMS },
);
