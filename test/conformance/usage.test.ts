import { expect, test } from "vitest";
import { expectSameFromDisk } from "./from-disk.ts";
import { newLab } from "./lab.ts";
import { matrix } from "./matrix.ts";
import { begin, unasked } from "./turn.ts";

/** With a known price each: dollars for a million tokens of input, output, cache reads and cache writes. */
const MODELS = {
  claude: { model: "claude-haiku-4-5", prices: [1, 5, 0.1, 1.25], by: "computed" },
  codex: { model: "gpt-5.4-mini", prices: [0.75, 4.5, 0.075, 0.75], by: "computed" },
  gemini: { model: "gemini-2.5-flash", prices: [0.3, 2.5, 0.03, 0], by: "computed" },
  opencode: { model: "scripted/scripted-model", prices: [1, 5, 0.1, 1], by: "reported" },
} as const;

/** Two requests: the call of a tool, and what is said after it. */
const textOf = (written: number) =>
  `[[usage:in=100,out=20,cacheRead=3000,cacheWrite=${written},reasoning=7]][[tool:echo from-the-tool]][[then]][[text:done]]`;

matrix(({ program, kind }) => {
  test("usage and cost of each request, live and from disk", async () => {
    await using lab = await newLab(program);
    const { model, prices, by } = MODELS[program];
    // Google bills nothing for what it writes to a cache, and does not count it.
    const written = program === "gemini" ? 0 : 400;
    // The protocol of OpenCode knows no cache writes: what is written counts as input.
    const asInput = program === "opencode" ? written : 0;
    const session = await begin(lab, kind, textOf(written), "--model", model, ...unasked(program));
    const over = kind === "interactive" ? "waiting_input" : "stopped";
    await lab.ok(["wait", session.id, "--turn", "1", "--timeout", "60s"]);
    await lab.ok(["wait", session.id, "--until", over, "--timeout", "60s"]);
    const cost = (100 * prices[0] + 20 * prices[1] + 3000 * prices[2] + written * prices[3]) / 1e6;
    await expect
      .poll(async () => (await session.get()).usage)
      .toMatchObject({
        turns: 1,
        ...{ tokens_input: 2 * (100 + asInput), tokens_output: 40, tokens_cache_read: 6000 },
        tokens_cache_write: 2 * (written - asInput),
        ...{ tokens_total: 6240 + 2 * written, cost_source: by, partial: false },
        cost_usd: expect.closeTo(2 * cost, 9),
      });
    const { json } = await lab.ok(["usage", session.id, "--requests", "--json"]);
    const requests = (json as unknown as { requests: { cost_usd: number; model: string }[] }).requests;
    expect(requests).toHaveLength(2);
    for (const request of requests) expect(request.cost_usd).toBeCloseTo(cost, 9);
    await expectSameFromDisk(lab);
  });
});
