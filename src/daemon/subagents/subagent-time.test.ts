import { expect, test, vi } from "vitest";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { request, subagentPlace, TASK } from "../../testing/session/subagent-place.ts";

useFakeTime();

type Place = Awaited<ReturnType<typeof subagentPlace>>;

const statesOf = async (at: Place) =>
  (await at.children()).map(({ nativeId, state }) => `${nativeId} ${state}`).sort();

/** Everything that a look has found is in the record. */
async function looked(watch: ReturnType<Place["watch"]>) {
  await idle();
  await watch.catchUp();
}

test("a sub-agent that is done without saying so ends once nothing more has come for 5 s", async () => {
  await using at = await subagentPlace();
  const watch = at.watch();
  at.write("agent-a1", [TASK, request("m1", "tool_use")], { finished: true });
  at.write("agent-a2", [TASK, request("m2", "tool_use")], { finished: false });
  watch.begin();
  await pass(0);
  await looked(watch);
  await pass(4999);
  at.write("agent-a1", [request("m3", "tool_use")], { finished: true });
  await looked(watch);
  await pass(4999);
  await looked(watch);
  expect(await statesOf(at)).toEqual(["a1 running", "a2 running"]);
  await pass(1);
  await looked(watch);
  expect(await statesOf(at)).toEqual(["a1 stopped", "a2 running"]);
});

test("sub-agents that their session says are done end, and no other does", async () => {
  await using at = await subagentPlace();
  const watch = at.watch();
  for (const name of ["a1", "a2"]) at.write(`agent-${name}`, [TASK, request(`m-${name}`, "tool_use")]);
  at.write("agent-a3", [TASK, request("m-a3", "end_turn")]);
  await watch.catchUp();
  const done = (await at.children()).find(({ nativeId }) => nativeId === "a3");
  watch.finish(["a1", "a3", "a4"]);
  await looked(watch);
  await vi.waitFor(async () =>
    expect(await statesOf(at)).toEqual(["a1 stopped", "a2 running", "a3 stopped"]),
  );
  expect((await at.children()).find(({ nativeId }) => nativeId === "a3")?.seq).toBe(done?.seq);
});

test("many hints at once are one look, at the earliest time asked for, and none after the end", async () => {
  await using at = await subagentPlace();
  const watch = at.watch();
  at.write("agent-a1", [TASK]);
  watch.lookSoon(200);
  watch.lookSoon(100);
  watch.lookSoon(300);
  expect(vi.getTimerCount()).toBe(1);
  await pass(99);
  await idle();
  expect(await statesOf(at)).toEqual([]);
  await pass(1);
  while ((await statesOf(at)).length === 0) await idle();
  watch.stop();
  const timers = vi.getTimerCount();
  watch.lookSoon();
  expect(vi.getTimerCount()).toBe(timers);
});
