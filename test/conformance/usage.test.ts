import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix } from "./matrix.ts";
import { begin, unasked } from "./turn.ts";

/** With a known price each: dollars for a million tokens of input, output, cache reads and cache writes. */
const MODELS = {
  claude: { model: "claude-haiku-4-5", prices: [1, 5, 0.1, 1.25] },
  codex: { model: "gpt-5.4-mini", prices: [0.75, 4.5, 0.075, 0.75] },
} as const;

const USED = "[[usage:in=100,out=20,cacheRead=3000,cacheWrite=400,reasoning=7]]";

/** Two requests: the call of a tool, and what is said after it. */
const TEXT = `${USED}[[tool:echo from-the-tool]][[then]][[text:done]]`;

matrix(({ program, kind }) => {
  test("usage and cost of each request", async () => {
    await using lab = await newLab(program);
    const { model, prices } = MODELS[program];
    const session = await begin(lab, kind, TEXT, "--model", model, ...unasked(program));
    const over = kind === "interactive" ? "waiting_input" : "stopped";
    await lab.ok(["wait", session.id, "--turn", "1", "--timeout", "60s"]);
    await lab.ok(["wait", session.id, "--until", over, "--timeout", "60s"]);
    const cost = (100 * prices[0] + 20 * prices[1] + 3000 * prices[2] + 400 * prices[3]) / 1e6;
    await expect
      .poll(async () => (await session.get()).usage)
      .toMatchObject({
        turns: 1,
        ...{ tokens_input: 200, tokens_output: 40, tokens_cache_read: 6000, tokens_cache_write: 800 },
        ...{ tokens_total: 7040, cost_source: "computed", partial: false },
        cost_usd: expect.closeTo(2 * cost, 9),
      });
    const { json } = await lab.ok(["usage", session.id, "--requests", "--json"]);
    const requests = (json as unknown as { requests: { cost_usd: number; model: string }[] }).requests;
    expect(requests).toHaveLength(2);
    for (const request of requests) expect(request.cost_usd).toBeCloseTo(cost, 9);
  });
});
