import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identifyProcess } from "../../machine/process.ts";
import { T1 } from "../../testing/events.ts";
import { idle, pass } from "../../testing/session/fake-time.ts";
import { followed, recorded } from "../../testing/session/followed.ts";

test("a holder that is found says which process it holds", async () => {
  await using at = await followed();
  await at.follower.begin();
  expect(await at.session.observed.first(1)).toEqual([
    { saw: "launched", process: identifyProcess(process.pid), isReady: false },
  ]);
  expect(at.follower.connection).toBeDefined();
});

test("a holder that cannot be reached is looked for again 200 ms later", async () => {
  await using at = await followed();
  rmSync(join(at.place.folder, "socket"));
  await at.follower.begin();
  expect([at.session.asked.all, at.follower.connection]).toEqual([["look 200"], undefined]);
});

test("whoever waits for a holder goes on when it is there, or when none can come", async () => {
  await using at = await followed();
  const reached: string[] = [];
  const waiting = at.follower.reachable().then(() => reached.push("there"));
  await idle();
  expect(reached).toEqual([]);
  await at.follower.begin();
  await waiting;
  await using gone = await followed();
  const never = gone.follower.reachable();
  await gone.follower.finish();
  await never;
});

test("the first status of a connection is believed, and a later one only where it is asked for", async () => {
  await using at = await followed();
  const report = (state: string) => ({ main: { fields: { state }, at: T1, offset: 9 }, byId: {} });
  at.holder.status = { reports: report("busy"), title: "a title" };
  await at.follower.begin();
  at.holder.sayStatus();
  expect(await at.signalled("a title")).toEqual(["busy", "a title"]);
  at.holder.status = { reports: report("idle") };
  at.holder.sayStatus();
  at.holder.say({ type: "title", title: "next" });
  expect(await at.signalled("next")).toEqual(["busy", "a title", "next"]);
  await at.follower.refresh();
  expect(await at.signalled("idle")).toEqual(["busy", "a title", "next", "idle"]);
});

test("a report counts after everything that was written before it", async () => {
  await using at = await followed();
  const { sources } = at.session;
  at.session.sources = {
    ...sources,
    catchUp: async () => at.session.asked.add(`catch up ${at.session.signals}`),
  };
  await at.follower.begin();
  at.holder.say({ type: "report", fields: { state: "busy" }, offset: 10 });
  await at.signalled("busy");
  expect(at.session.asked.all).toContain("catch up ");
});

test("output is recorded, and makes the screen, the tree and the live facts be looked at", async () => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.write("hello\r\n");
  await at.session.asked.through((each) => each === "tree");
  await at.follower.letGo();
  expect(at.session.asked.all).toEqual(["screen", "tree"]);
  expect((await at.place.context.store.find("s"))?.observed.lastOutputAt).toBe("2026-01-08T18:05:30.000Z");
  expect(recorded(at.recordings)).toContain("hello");
});

test("output of pipes goes into the transcript and is acknowledged", async () => {
  await using at = await followed({ launch: { host: "pipe" }, mode: { sources: {} } });
  await at.follower.begin();
  at.holder.write("hello\n");
  await at.session.asked.through((each) => each === "tree");
  await idle();
  await pass(50);
  const acknowledged = await at.holder.heard.through((frame) => frame.startsWith("A "));
  expect(acknowledged.at(-1)).toBe('A {"stream":"out","offset":6}');
  expect(await at.session.said()).toEqual(["assistant: hello\n"]);
});
