import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Mode } from "../../agents/agent.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { HolderExit } from "../../host/holder-files.ts";
import { identifyProcess } from "../../machine/process.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { exitOf } from "../../testing/carried.ts";
import { T1 } from "../../testing/events.ts";
import { FakeHolder } from "../../testing/session/fake-holder.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { configOf, type GivenFacts } from "../../testing/session/ports.ts";
import { sessionPlace } from "../../testing/session/test-session.ts";
import { Observations } from "../feed/observations.ts";
import { OutputSlices } from "../intake/output-slices.ts";
import { LiveFacts } from "../session/live-facts.ts";
import { Follower } from "./follower.ts";

useFakeTime();

/** Reports say what the agent does; a title that it works. */
const terminal: NonNullable<Mode["sources"]["terminal"]> = {
  report: ({ state }) => {
    if (state === undefined) return {};
    const says = state === "idle" ? "ready" : "working";
    return { signal: { source: "terminal", rule: state, excerpt: null, says } };
  },
  title: (title) => ({ signal: { source: "terminal", rule: title, excerpt: null, says: "working" } }),
};

async function followed(given: Omit<GivenFacts, "folder"> = {}) {
  const place = await sessionPlace({
    ...given,
    mode: {
      sources: { terminal },
      trust: ["terminal"],
      ...given.mode,
      capabilities: { isReadyAtExec: false, outputIsTranscript: false, tellsTurns: true },
    },
  });
  const recordings = join(place.folder, "recordings");
  mkdirSync(recordings);
  const holder = await FakeHolder.in(place.folder);
  const session = place.daemon();
  const { store } = place.context;
  const observations = new Observations({ store, redact: (value) => value, publish: () => {} });
  const { id, log, activity, asked } = session;
  const liveFacts = new LiveFacts({ id, log, now: () => Date.now(), observations, activity });
  const ports = Object.assign(session, {
    config: configOf(),
    places: { recordings },
    snapshots: new SerialQueue(),
    slices: new OutputSlices(),
    leftovers: {
      of: async () => {
        asked.add("leftovers");
        return [];
      },
    },
    liveFacts,
    pausing: { holds: async () => asked.add("holds") },
    lookAtTree: () => asked.add("tree"),
    screen: { now: async () => undefined, changed: () => asked.add("screen") },
  });
  const follower = new Follower(ports);
  Object.assign(session, { holder: follower });
  /** Everything but the process, by name. */
  const observed = async (last: (each: Observation) => boolean) => {
    const all = await session.observed.through(last);
    return all.flatMap((each) => (each.saw === "signal" ? [each.signal.rule] : [each.saw])).slice(1);
  };
  return {
    ...{ place, session, holder, follower, observed, recordings },
    signalled: (rule: string) => observed((each) => each.saw === "signal" && each.signal.rule === rule),
    saw: (name: Observation["saw"]) => observed((each) => each.saw === name),
    [Symbol.asyncDispose]: async () => {
      await follower.letGo();
      await holder[Symbol.asyncDispose]();
      await idle();
      await place[Symbol.asyncDispose]();
    },
  };
}

const exit = (state: "ending" | "empty" | "kept" | "blocked"): HolderExit => {
  const told = exitOf(0, state);
  return { version: 1, ...told, agent: { ...told.agent, signal: null }, tree: { ...told.tree, at: T1 } };
};

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

function recorded(recordings: string): string {
  const folder = join(recordings, "s");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}
