import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { atPrompt, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

interface Counted {
  readonly tokens_total: number | null;
  readonly cost_usd: number | null;
  readonly cost_source: string | null;
  readonly partial: boolean;
}

async function usageOf(user: LiveUser, id: string): Promise<Counted> {
  return ((await user.get(id)) as unknown as { usage: Counted }).usage;
}

test("tokens and cost move on every surface while a turn runs", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["scripted", "spend 1000 20", "--model", "claude-sonnet-4-5"]);
  await until(async () => ((await usageOf(user, id)).tokens_total ?? 0) > 0, "the first request");
  const first = await usageOf(user, id);
  expect(first).toMatchObject({ cost_source: "computed", partial: false });
  const hasMoved = async () => ((await usageOf(user, id)).cost_usd ?? 0) > (first.cost_usd ?? 0);
  await until(hasMoved, "a higher cost");
  expect(await user.get(id)).toMatchObject({ state: "running" });
  for (const args of [["list", "--json"], ["--json"]]) {
    const { sessions } = (await user.ok(args)).json as unknown as { sessions: { usage: Counted }[] };
    expect(sessions.map(({ usage }) => usage)).toMatchObject([{ cost_source: "computed", partial: false }]);
  }
  const { requests } = (await user.ok(["usage", id, "--requests", "--json"])).json as unknown as {
    requests: Shown[];
  };
  // 900 input at 3 dollars, 150 output at 15, 1000 written to the cache at 3.75, 1000 read from it at 0.3.
  const costs = [0.0087, 0.009].map((cost_usd) => ({
    cost_usd,
    priced_by: expect.stringMatching(/^genai-/),
  }));
  expect(requests.slice(0, 2)).toMatchObject(costs);
  expect(requests.map(({ request_key }) => request_key)).toEqual([
    ...new Set(requests.map((r) => r.request_key)),
  ]);
});

test("the events of a session say its tokens and cost as they move", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--model", "claude-sonnet-4-5");
  await turn(user, id, "usage 1000 100 0 0 0 ; usage 2000 100 0 0 0");
  await turn(user, id, "usage 1000 100 0 0 0");
  const { stdout } = await user.ok(["events", id, "--json"]);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)) as Shown[];
  const heard = events
    .filter(({ kind }) => kind === "usage_changed")
    .map(({ body }) => body as { usage: Counted });
  expect(heard.map(({ usage }) => usage.tokens_total)).toEqual([1100, 3200, 4300]);
  expect(heard.map(({ usage }) => usage.cost_usd)).toEqual([0.0045, 0.012, 0.0165]);
  expect(heard.at(-1)?.usage).toMatchObject({ cost_source: "computed", partial: false });
});

test("a model without a price is unpriced, never free, and own prices count from the next request on", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--model", "model-of-tomorrow");
  await turn(user, id, "usage 1000 100 0 0 0");
  expect(await usageOf(user, id)).toMatchObject({ cost_usd: null, cost_source: "unpriced", partial: true });
  expect((await user.ok(["usage", id])).stdout).toContain("\nunpriced   model-of-tomorrow\n");
  const prices = '{"model-of-tomorrow":{"input":2,"output":10}}';
  await user.ok(["config", "set", "prices", prices]);
  await turn(user, id, "usage 1000 100 0 0 0");
  expect(await usageOf(user, id)).toMatchObject({ cost_usd: 0.003, cost_source: "computed", partial: true });
  await turn(user, id, "usage 1000 100 0 0 0 0.5");
  expect(await usageOf(user, id)).toMatchObject({ cost_usd: 0.503, cost_source: "mixed" });
});
