import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionRow } from "../../domain/session/session.ts";
import { T1 } from "../../testing/events.ts";
import { idle, pass } from "../../testing/session/fake-time.ts";
import { exit, followed, recorded } from "../../testing/session/followed.ts";

test.each(["empty", "kept"] as const)(
  "a tree that is %s is decided on after the last words",
  async (state) => {
    await using at = await followed();
    at.session.sources.readRest = async () => at.session.asked.add(`rest ${at.session.observed.all.length}`);
    await at.follower.begin();
    at.holder.say({ type: "tree", exit: exit(state) });
    expect(await at.saw("exit")).toEqual(["exit"]);
    const asked = state === "empty" ? ["rest 1", "leftovers"] : ["rest 1"];
    expect(at.session.asked.all).toEqual(asked);
  },
);

test.each(["ending", "blocked"] as const)("a tree that is %s is decided on at once", async (state) => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.say({ type: "exit", exit: exit(state) });
  expect(await at.saw("exit")).toEqual(["exit"]);
  expect(at.session.asked.all).toEqual([]);
});

test("an exit in the first status is decided on, unless the tree is empty: that comes behind all output", async () => {
  await using at = await followed();
  at.holder.status = { exit: exit("blocked") };
  await at.follower.begin();
  at.holder.sayStatus();
  expect(await at.saw("exit")).toEqual(["exit"]);
  await using empty = await followed();
  empty.holder.status = { exit: exit("empty") };
  await empty.follower.begin();
  empty.holder.sayStatus();
  empty.holder.say({ type: "title", title: "behind" });
  expect(await empty.signalled("behind")).toEqual(["behind"]);
});

test("reports that stand in the output and were never heard count at the end", async () => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.write("\u001b]7501;state=idle\u0007bye");
  at.holder.say({ type: "tree", exit: exit("empty") });
  expect(await at.saw("exit")).toEqual(["idle", "exit"]);
});

test("a report that was heard does not count once more at the end", async () => {
  await using at = await followed();
  const report = "\u001b]7501;state=idle\u0007";
  await at.follower.begin();
  at.holder.write(report);
  at.holder.say({ type: "report", fields: { state: "idle" }, offset: report.length });
  at.holder.say({ type: "tree", exit: exit("empty") });
  expect(await at.saw("exit")).toEqual(["idle", "exit"]);
});

test.each([
  ["says what the agent does stands for those before it", { state: "idle" }, ["idle", "exit"]],
  ["says nothing of it does not stand for those before it", {}, ["busy", "exit"]],
])("a last report that %s", async (_, fields, saw) => {
  await using at = await followed();
  const reports = { main: { fields, at: T1, offset: 1000 }, byId: {} };
  at.holder.status = { reports };
  await at.follower.begin();
  at.holder.sayStatus();
  at.holder.write("\u001b]7501;state=busy\u0007");
  at.holder.say({ type: "tree", exit: exit("empty") });
  expect(await at.saw("exit")).toEqual(saw);
});

test("a holder that leaves without a word is looked for", async () => {
  await using at = await followed();
  await at.follower.begin();
  await at.session.observed.first(1);
  at.holder.sayStatus();
  await idle();
  at.holder.leave();
  expect(await at.saw("holder_gone")).toEqual(["holder_gone"]);
  expect(at.follower.connection).toBeUndefined();
});

test("a holder that leaves after its end, or that we leave, is not looked for", async () => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.say({ type: "tree", exit: exit("empty") });
  await at.saw("exit");
  await idle();
  at.holder.leave();
  await idle();
  await using left = await followed();
  await left.follower.begin();
  await left.session.observed.first(1);
  await left.follower.letGo();
  await idle();
  const saw = (of: typeof at) => of.session.observed.all.map((each) => each.saw);
  expect([saw(at), saw(left)]).toEqual([["launched", "exit"], ["launched"]]);
});

test("an end that could not be recorded is looked for again when the holder is gone", async () => {
  await using at = await followed();
  const { observe } = at.session;
  at.session.observe = async (observation, asked) => {
    if (observation.saw === "exit") throw new Error("the disk is full");
    return observe.call(at.session, observation, asked);
  };
  await at.follower.begin();
  await at.session.observed.first(1);
  at.holder.say({ type: "tree", exit: exit("empty") });
  expect(await at.saw("holder_gone")).toEqual(["holder_gone"]);
});

test("a tree that is stopped is looked at for the lock of the store, and one that goes on is not", async () => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.say({ type: "paused", paused: false, missed: 0 });
  at.holder.say({ type: "title", title: "between" });
  await at.signalled("between");
  expect(at.session.asked.all).not.toContain("holds");
  at.holder.say({ type: "paused", paused: true, missed: 0 });
  await at.session.asked.through((each) => each === "holds");
});

test("somebody who attaches is seen in the status that is asked for then", async () => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.status = { typist: 2 };
  at.holder.say({ type: "attached", client: 2, types: true, viewers: 1 });
  await at.holder.heard.through((frame) => frame === "S");
  at.holder.say({ type: "title", title: "behind" });
  await at.signalled("behind");
  expect((await at.place.context.store.find("s"))?.observed.attached).toBe(true);
});

test("a holder that does not answer has no status after two seconds", async () => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.status = null;
  const answers: unknown[] = [];
  const asked = at.follower.status().then((status) => answers.push(status));
  await pass(1999);
  expect(answers).toEqual([]);
  await pass(1);
  await asked;
  expect(answers).toEqual([undefined]);
});

test("the output that a holder left behind is read from where it was taken to, once", async () => {
  await using at = await followed({ launch: { host: "pipe" }, mode: { sources: {} } });
  await at.session.intake.take(
    { entries: [{ role: "assistant", kind: "text", text: "one", tool: null }] },
    { key: "out-4", consumed: { stream: "out", offset: 4 } },
  );
  writeFileSync(join(at.place.folder, `out-${"0".repeat(16)}`), "one\ntwo\nthree");
  await at.follower.readRest();
  await at.follower.readRest();
  expect(await at.session.said()).toEqual(["assistant: one", "assistant: two\nthree"]);
  expect(at.session.asked.all).toEqual(["read rest", "read rest"]);
});

test("the state of a session is marked in its recording", async () => {
  await using at = await followed();
  await at.follower.begin();
  at.holder.write("hello");
  await at.session.asked.through((each) => each === "tree");
  at.follower.show({ ...((await at.session.row()) as SessionRow), state: "running" });
  await at.follower.finish();
  expect(recorded(at.recordings)).toContain("running");
});
