import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { expectSameFromDisk } from "./from-disk.ts";
import { type Lab, newLab } from "./lab.ts";
import { matrix } from "./matrix.ts";
import type { ProgramName } from "./programs.ts";
import { begin, unasked } from "./turn.ts";

const USED = "[[usage:in=100,out=20,cacheRead=3000,cacheWrite=400]]";
const SUB_USED = "[[usage:in=5,out=6,cacheRead=7,cacheWrite=8]]";
const DEEP_USED = "[[usage:in=1,out=2,cacheRead=3,cacheWrite=4]]";
const WAITS = '[[call:collaboration.wait_agent {"timeout_ms":60000}]]';

const HELPER = `${SUB_USED}[[gate:helper]]`;

/** A sub-agent is held at its gate, and then calls one of its own, where the program lets it; both are waited for. */
const DELEGATES: Readonly<Record<ProgramName, string>> = {
  claude: `${USED}${task("helper", `${HELPER}${task("deep", `${DEEP_USED}[[text:deep]]`)}[[then]][[text:helped]]`)}[[then]][[text:done]]`,
  codex: `${USED}${spawn("helper", `${HELPER}${spawn("deep", `${DEEP_USED}[[text:deep]]`)}[[then]]${WAITS}[[then]][[text:helped]]`)}[[then]]${WAITS}[[then]][[text:done]]`,
  gemini: `${USED}[[call:invoke_agent ${JSON.stringify({ agent_name: "generalist", prompt: `${HELPER}[[tool:echo hi]][[then]][[call:complete_task {"result":{"response":"helped"}}]]` })}]][[then]][[text:done]]`,
  opencode: `${USED}[[call:task ${JSON.stringify({ description: "helper", prompt: `${HELPER}[[tool:echo hi]][[then]][[text:helped]]`, subagent_type: "general" })}]][[then]][[text:done]]`,
};

/** The task of a sub-agent, as its session is called by; Gemini CLI gives it no name. */
const PURPOSE = {
  claude: "helper",
  codex: "helper",
  gemini: "general",
  opencode: "helper (@general subagent)",
};
/** Sub-agents of the others are offered no call that starts one. */
const WITH_DEEP: readonly ProgramName[] = ["claude", "codex"];
/** Those that are told what is written to a cache. */
const CACHE_WRITES: readonly ProgramName[] = ["claude", "codex"];

const ARGS: Readonly<Record<ProgramName, readonly string[]>> = {
  claude: ["--model", "claude-haiku-4-5", "--", "--allowedTools", "Task Agent"],
  codex: [],
  gemini: unasked("gemini"),
  opencode: [],
};

function task(description: string, prompt: string): string {
  const input = { description, prompt, subagent_type: "general-purpose" };
  return `[[call:Task ${JSON.stringify(input)}]]`;
}

function spawn(name: string, message: string): string {
  return `[[call:collaboration.spawn_agent ${JSON.stringify({ task_name: name, message, fork_turns: "none" })}]]`;
}

interface Tokens {
  readonly tokens_input: number;
  readonly tokens_output: number;
  readonly tokens_cache_read: number;
  readonly tokens_cache_write: number;
  readonly tokens_total: number;
}

matrix(({ program, kind }) => {
  test("usage of sub-agents, live and from disk", async () => {
    await using lab = await newLab(program);
    const delegates = DELEGATES[program];
    const session = await begin(lab, kind, delegates, ...ARGS[program]);
    await lab.model.asked("helper");
    const working = { state: "running", purpose: PURPOSE[program], origin: "subagent" };
    await expect.poll(() => childrenOf(lab, session.id)).toMatchObject([working]);
    // Requests that come while no daemon runs are read from disk.
    if (kind === "interactive") await lab.killDaemon();
    lab.model.open("helper");
    await lab.ok(["up"]);
    const over = kind === "interactive" ? "waiting_input" : "stopped";
    const done = { state: "stopped", outcome: "success" };
    await expect.poll(() => childrenOf(lab, session.id)).toMatchObject([done]);
    const hasDeep = WITH_DEEP.includes(program);
    const deeper = async () => childrenOf(lab, (await childrenOf(lab, session.id))[0]?.id ?? "");
    await expect.poll(deeper).toMatchObject(hasDeep ? [{ ...done, purpose: "deep" }] : []);
    await lab.ok(["wait", session.id, "--until", over, "--timeout", "60s"]);
    // The truth is what the model was asked: a sub-agent that is done may be a request of its own for its parent.
    await expect
      .poll(async () => {
        const parent = await session.get();
        const [child] = await childrenOf(lab, session.id);
        return [parent, child, ...(await deeper())].map((one) => countsOf(one?.usage as Tokens));
      })
      .toEqual([
        counted(program, answersOf(lab, delegates), [100, 20, 3000, 400]),
        counted(program, answersOf(lab, HELPER), [5, 6, 7, 8]),
        ...(hasDeep ? [[1, 2, 3, 4]] : []),
      ]);
    const { usage, usage_with_children: all } = await session.get();
    const below = answersOf(lab, HELPER) * 26 + (hasDeep ? 10 : 0);
    expect((all as Tokens).tokens_total - (usage as Tokens).tokens_total).toBe(below);
    await expectSameFromDisk(lab, [String((await session.get()).native_id)]);
  });
});

function countsOf(usage: Tokens): number[] {
  return [usage.tokens_input, usage.tokens_output, usage.tokens_cache_read, usage.tokens_cache_write];
}

/** The model says nothing to some of them of what is written to a cache: that is input then. */
function counted(program: ProgramName, requests: number, each: readonly number[]): number[] {
  const [input = 0, output = 0, read = 0, write = 0] = each.map((count) => requests * count);
  return CACHE_WRITES.includes(program) ? [input, output, read, write] : [input + write, output, read, 0];
}

/** How many answers the model has given in the conversation that began with a prompt like this. */
function answersOf(lab: Lab, prompt: string): number {
  return lab.model.requests.filter(
    ({ prompts, isAuxiliary, outcome }) =>
      !isAuxiliary && outcome === "answered" && prompts[0]?.startsWith(prompt),
  ).length;
}

async function childrenOf(lab: Lab, id: string): Promise<Shown[]> {
  const { json } = await lab.ok(["list", "--json"]);
  return json.sessions.filter(({ parent_id }) => parent_id === id);
}
