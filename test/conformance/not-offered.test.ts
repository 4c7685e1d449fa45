import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { speakByHand } from "./acp-by-hand.ts";
import { acpLab, KIND, PROMPT } from "./acp-lab.ts";
import { ACP_OFFERS, ANSWERS_TO_EXIT, CONVERSATION_OPTIONS, METHOD_NOT_FOUND } from "./captured.ts";
import { type Lab, newLab } from "./lab.ts";
import { COMING_UP, matrix, TO_THE_END } from "./matrix.ts";
import { begin, unasked } from "./turn.ts";
import type { Watched } from "./watched.ts";

// Captures how a program refuses or ignores what it does not offer. The scorecard quotes it.

const INITIALIZE = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
};

function helpOf({ program, place, env }: Lab): string {
  return spawnSync(program.path, ["--help"], { cwd: place.project, env, encoding: "utf8", input: "" }).stdout;
}

/** The first process hears neither our interrupt nor a signal. */
async function interruptInVain(lab: Lab, session: Watched): Promise<void> {
  const refused = await lab.rollcall(["interrupt", session.id, "--json"]);
  expect(refused).toMatchObject({ code: 4, error: { code: "not_offered" } });
  process.kill(await session.pid(), "SIGINT");
  await session.stays("interrupted in vain", "running", 1500);
}

matrix(
  ({ kind }) => {
    test("no fork among its options", async () => {
      await using lab = await newLab("gemini");
      const options = [...helpOf(lab).matchAll(/(?:^|\s)--([\w-]*)/gu)].map(([, option]) => option ?? "");
      const ofConversations = options.filter((option) => /session|resume|fork|branch|copy/u.test(option));
      expect([...new Set(ofConversations)].sort()).toEqual([...CONVERSATION_OPTIONS].sort());
      const session = await begin(lab, kind, "[[text:one]]");
      await lab.ok(["wait", session.id, "--until", "waiting_input,stopped", "--timeout", "60s"]);
      const refused = await lab.rollcall(["fork", session.id, "--json"]);
      expect(refused).toMatchObject({ code: 4, error: { code: "not_offered" } });
    });
  },
  { programs: ["gemini"] },
);

matrix(
  () => {
    test("no method to fork", async () => {
      await using lab = await acpLab("gemini");
      await using agent = speakByHand(lab);
      await agent.ask("initialize", INITIALIZE);
      const at = { cwd: lab.place.project, mcpServers: [] };
      const { result } = await agent.ask("session/new", at);
      const { error } = await agent.ask("session/fork", { sessionId: result?.sessionId, ...at });
      expect(error?.message).toBe(METHOD_NOT_FOUND);
    });
  },
  { programs: ["gemini"], kinds: [KIND] },
);

matrix(
  ({ kind }) => {
    test("an interrupt in mid-turn is not heard", async () => {
      await using lab = await newLab("gemini");
      const session = await begin(lab, kind, "[[gate:first]][[text:said to its end]]");
      await lab.model.asked("first");
      await session.at("turn running", "running", { via: COMING_UP });
      await interruptInVain(lab, session);
      lab.model.open("first");
      const shown = await session.at("turn done", "stopped", { via: TO_THE_END });
      expect(shown).toMatchObject({ exit_code: 0, outcome: "success" });
      expect((await session.entries()).at(-1)).toMatchObject({ text: "said to its end" });
    });

    test("an interrupt during a tool is not heard", async () => {
      await using lab = await newLab("gemini");
      const at = (name: string) => join(lab.place.project, name);
      const tool = "[[tool:touch begun; until [ -e go-on ]; do sleep 0.1; done; touch finished]]";
      const session = await begin(lab, kind, tool, ...unasked("gemini"));
      await expect.poll(() => existsSync(at("begun")), { timeout: 60_000 }).toBe(true);
      await session.at("tool running", "running", { via: COMING_UP });
      await interruptInVain(lab, session);
      writeFileSync(at("go-on"), "");
      const shown = await session.at("turn done", "stopped", { via: TO_THE_END });
      expect([shown.exit_code, existsSync(at("finished"))]).toEqual([0, true]);
    });
  },
  { programs: ["gemini"], kinds: ["autonomous"] },
);

matrix(
  ({ kind }) => {
    test("settings of a folder count unasked", async () => {
      await using lab = await newLab("opencode");
      expect(helpOf(lab)).not.toMatch(/trust/iu);
      const settings = { permission: { bash: { "*": "allow" } } };
      writeFileSync(join(lab.place.project, "opencode.json"), JSON.stringify(settings));
      const session = await begin(lab, kind, "[[risky:touch obeyed]]");
      const over = kind === "interactive" ? PROMPT : "stopped";
      // No request of any kind on the way.
      await session.at("a command that the folder allows", over, { via: [...COMING_UP, ...TO_THE_END] });
      expect(existsSync(join(lab.place.project, "obeyed"))).toBe(true);
    });
  },
  { programs: ["opencode"] },
);

matrix(
  ({ program }) => {
    test("no request for trust", async () => {
      await using lab = await acpLab(program, { isTrusted: false });
      await using agent = speakByHand(lab);
      const { result } = await agent.ask("initialize", INITIALIZE);
      expect(Object.keys(result?.agentCapabilities as object).sort()).toEqual(ACP_OFFERS[program]);
      const opened = await agent.ask("session/new", { cwd: lab.place.project, mcpServers: [] });
      expect(opened.result?.sessionId).toEqual(expect.any(String));
      const requests = agent.said.filter(({ id, method }) => method !== undefined && id !== undefined);
      expect(requests).toEqual([]);
      expect(JSON.stringify(result)).not.toMatch(/trust/iu);
    });

    test("no command to leave", async () => {
      await using lab = await acpLab(program);
      await using agent = speakByHand(lab);
      await agent.ask("initialize", INITIALIZE);
      const { result } = await agent.ask("session/new", { cwd: lab.place.project, mcpServers: [] });
      const prompt = [{ type: "text", text: "/exit" }];
      const answer = await agent.ask("session/prompt", { sessionId: result?.sessionId, prompt });
      const words = agent.said.flatMap(({ params }) =>
        params?.update?.sessionUpdate === "agent_message_chunk" ? (params.update.content?.text ?? []) : [],
      );
      const isAsked = lab.model.requests.some(({ prompt: text }) => text === "/exit");
      expect({ stopReason: answer.result?.stopReason, words: words.join(""), isAsked }).toEqual({
        stopReason: "end_turn",
        ...ANSWERS_TO_EXIT[program],
      });
      expect(agent.isThere()).toBe(true);
      expect(await agent.endInput()).toBe(0);
    });

    test("no terminal to close", async () => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, "[[text:hello]]");
      await session.at("turn done", PROMPT, { via: ["running"] });
      // The seventh field of a process is the number of its terminal.
      const stat = readFileSync(`/proc/${await session.pid()}/stat`, "utf8");
      expect(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[4]).toBe("0");
      const refused = await lab.rollcall(["attach", session.id]);
      expect(refused).toMatchObject({ code: 4, stdout: "" });
      expect(refused.stderr).toContain("terminal");
      await session.stays("attach refused", PROMPT, 300);
    });
  },
  { kinds: [KIND] },
);
