import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Rollcall } from "../../src/index.ts";
import { type FaultUser, killNow, newFaultUser } from "./fault-user.ts";
import { PATIENCE_MS, report, seededRandom, times } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const FAMILIES = 3;
/** Requests of a cent each, for as long as nobody ends it. */
const SPENDING = Array.from({ length: 200 }, () => "usage 10 10 - - - 0.01 ; work 100ms").join(" ; ");

test("kill -9 of the daemon around the moment at which a budget is used up ends each session of it once", async () => {
  await using user = newFaultUser();
  const random = seededRandom("kill -9 around a budget");
  const rounds = times(6, 60);
  let kills = 0;
  let before = 0;
  for (let round = 0; round < rounds; round++) {
    let daemon = await user.up();
    const families = await Promise.all(Array.from({ length: FAMILIES }, () => startFamily(user)));
    await spend(user, families.flat());
    for (let kill = 0; kill < 2; kill++) {
      await sleep(random.between(0, kill === 0 ? 500 : 150));
      await killNow(daemon);
      kills++;
      if (kill === 0) before += await countEnds(user, families.flat());
      daemon = await user.up();
    }
    for (const id of families.flat()) await user.reach(id, "stopped");
    await using rollcall = await user.library();
    for (const family of families) await expectEndedOnce(rollcall, family);
    expect((await rollcall.verify()).problems).toEqual([]);
  }
  report(
    `kill -9 around a budget: ${kills} kills, ${before} of ${rounds * FAMILIES * 2} ends before the first`,
  );
});

/** A parent with a budget that both use up, at their prompts. */
async function startFamily(user: FaultUser): Promise<readonly [string, string]> {
  const { id } = await user.start(["scripted", "--max-cost", "0.05"]);
  const child = await user.start(["scripted", "--parent", id]);
  for (const one of [id, child.id]) await user.reach(one, "waiting_input");
  return [id, child.id];
}

/** Resolves once all of them have begun: a text that is not delivered is never given again. */
async function spend(user: FaultUser, ids: readonly string[]): Promise<void> {
  const clients = await Promise.all(ids.map(async () => user.door()));
  const sent = ids.map(async (id, index) =>
    clients[index]?.call("send_input", { sessionId: id, text: SPENDING }).catch(() => undefined),
  );
  await Promise.all(sent);
  for (const client of clients) client[Symbol.dispose]();
}

async function countEnds(user: FaultUser, ids: readonly string[]): Promise<number> {
  await using rollcall = await user.library();
  const rows = await Promise.all(ids.map(async (id) => rollcall.get(id)));
  return rows.filter(({ state }) => state === "stopping" || state === "stopped").length;
}

async function expectEndedOnce(
  rollcall: Rollcall,
  [parent, child]: readonly [string, string],
): Promise<void> {
  for (const id of [parent, child]) {
    const bodies = (await Array.fromAsync(rollcall.events(id))).map(({ body }) => body);
    const began = bodies.filter(({ kind }) => kind === "end_began");
    expect(began).toMatchObject([{ ending: { how: "limit" }, evidence: { source: "usage" } }]);
    expect(bodies.filter(({ kind }) => kind === "ended")).toHaveLength(1);
    expect(bodies.filter(({ kind }) => kind === "limit_neared").length).toBeLessThanOrEqual(1);
  }
  const { endReason, usageWithChildren } = await rollcall.get(parent);
  expect(endReason).toMatch(/^max_cost: \$0\.\d+ of \$0\.05$/);
  expect(usageWithChildren.costUsd).toBeGreaterThanOrEqual(0.05);
}
