import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { type Lab, newLab } from "./lab.ts";
import { matrix } from "./matrix.ts";
import type { RecordedRequest } from "./model-server/recorded-request.ts";
import type { ProgramName } from "./programs.ts";
import { begin, unasked } from "./turn.ts";

/** Models with a known price, and a number of output tokens that cost two cents. */
const MODELS = {
  claude: { model: "claude-haiku-4-5", out: 4000 },
  codex: { model: "gpt-5.4-mini", out: 4445 },
  gemini: { model: "gemini-2.5-flash", out: 8000 },
  opencode: { model: "scripted/scripted-model", out: 4000 },
} as const;

/** Three requests of two cents cross it. */
const ALLOWED = 0.05;
const FREE = "[[usage:in=0,out=0,cacheRead=0,cacheWrite=0]]";
const STEP = "[[tool:echo step]][[then]]";
/** The request after the one that crosses the limit is held by the model until the session has ended. */
const HELD = "[[gate:held]][[text:done]]";

matrix(({ program, kind }) => {
  const { used, options } = limited(program);

  test("a budget that a session uses up ends it", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, `${used}${STEP}${STEP}${STEP}${HELD}`, ...options);
    const ended = await over(lab, session.id);
    expect(ended).toMatchObject({ outcome: "interrupted" });
    expect(ended.end_reason).toMatch(/^max_cost: \$0\.06\d* of \$0\.05$/);
    expect(answered(lab)).toHaveLength(3);
    expect(ended.budgets).toMatchObject([
      { used: expect.closeTo(0.06, 3), allowed: ALLOWED, uncounted_requests: 0 },
    ]);
  });
});

matrix(({ program, kind }) => {
  const { used, options } = limited(program);

  test("a budget that a sub-agent uses up ends its session", async () => {
    await using lab = await newLab(program);
    const text = delegation(program, [`${used}${STEP}${STEP}${STEP}${HELD}`]);
    const session = await begin(lab, kind, text, ...options);
    const ended = await over(lab, session.id);
    expect(ended.end_reason).toMatch(/^max_cost: \$0\.06\d* of \$0\.05$/);
    expect(answered(lab, used)).toHaveLength(3);
    await expect.poll(() => statesOf(lab)).toEqual(["started stopped", "subagent stopped"]);
  });

  test("a budget is exceeded by the requests in flight alone, of sub-agents side by side", async () => {
    await using lab = await newLab(program);
    const sideBySide = 5;
    const helper = `${used}[[gate:together]]${STEP}${HELD}`;
    // Gemini CLI takes the same call five times for a loop.
    const helpers = Array.from({ length: sideBySide }, (_, index) => `${helper} ${index}`);
    const text = delegation(program, helpers);
    const session = await begin(lab, kind, text, ...options);
    await expect.poll(() => requestsOf(lab, used).length, { timeout: 60_000 }).toBe(sideBySide);
    expect((await session.get()).state).toBe("running");
    lab.model.open("together");
    const ended = await over(lab, session.id);
    expect(ended).toMatchObject({ outcome: "interrupted" });
    expect(answered(lab, used)).toHaveLength(sideBySide);
    const [budget] = (await session.get()).budgets as { used: number; uncounted_requests: number }[];
    expect(budget).toMatchObject({ uncounted_requests: 0 });
    // Two more than the three that cross it were under way then.
    expect(budget?.used).toBeLessThanOrEqual(sideBySide * 0.02 + 0.001);
    expect(budget?.used).toBeGreaterThanOrEqual(ALLOWED);
    await expect
      .poll(() => statesOf(lab))
      .toEqual(["started stopped", ...Array<string>(sideBySide).fill("subagent stopped")]);
  });
});

function limited(program: ProgramName): { readonly used: string; readonly options: readonly string[] } {
  const { model, out } = MODELS[program];
  return {
    used: `[[usage:in=0,out=${out},cacheRead=0,cacheWrite=0]]`,
    options: ["--max-cost", String(ALLOWED), "--model", model, ...unasked(program)],
  };
}

async function over(lab: Lab, id: string): Promise<Shown> {
  await lab.ok(["wait", id, "--until", "stopped", "--timeout", "60s"]);
  return (await lab.ok(["get", id, "--json"])).json;
}

/** Requests of conversations that began with a prompt like this, or of all. */
function requestsOf(lab: Lab, prompt = ""): RecordedRequest[] {
  return lab.model.requests.filter(
    ({ isAuxiliary, prompts }) => !isAuxiliary && prompts[0]?.startsWith(prompt),
  );
}

function answered(lab: Lab, prompt?: string): RecordedRequest[] {
  return requestsOf(lab, prompt).filter(({ outcome }) => outcome === "answered");
}

async function statesOf(lab: Lab): Promise<unknown[]> {
  const { sessions } = (await lab.ok(["list", "--json"])).json;
  return sessions.map(({ origin, state }) => `${origin} ${state}`).sort();
}

/** Starts these helpers at once, and waits for an answer of the model that does not come. */
function delegation(program: ProgramName, prompts: readonly string[]): string {
  const calls = prompts.map((prompt) => `[[call:${helperCall(program, prompt)}]]`);
  return `${FREE}${calls.join("")}[[then]][[gate:parent]][[text:done]]`;
}

/** Codex offers models with a known price other tools for this than its newest ones. */
function helperCall(program: ProgramName, prompt: string): string {
  const task = { description: "helper", prompt };
  switch (program) {
    case "claude":
      return `Task ${JSON.stringify({ ...task, subagent_type: "general-purpose" })}`;
    case "codex":
      return `multi_agent_v1.spawn_agent ${JSON.stringify({ message: prompt })}`;
    case "gemini":
      return `invoke_agent ${JSON.stringify({ agent_name: "generalist", prompt })}`;
    case "opencode":
      return `task ${JSON.stringify({ ...task, subagent_type: "general" })}`;
  }
}
