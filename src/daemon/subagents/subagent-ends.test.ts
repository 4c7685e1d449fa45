import pino from "pino";
import { expect, test } from "vitest";
import type { EventBody } from "../../domain/session/event.ts";
import { created, happened, newEvent, seen, T1 } from "../../testing/events.ts";
import { idle } from "../../testing/session/fake-time.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { EventHub } from "../feed/event-hub.ts";
import { SubagentEnds } from "./subagent-ends.ts";

type Parent = string | null;

/** A session `s` that Rollcall carries, with a sub-agent `a`, and one of that, `b`. */
async function place() {
  const world = tempWorld();
  const rollcall = await world.open();
  const { store } = rollcall.context;
  const log = pino({ enabled: false });
  const hub = new EventHub();
  const ends = new SubagentEnds({ context: rollcall.context, log, hub });
  const append = async (id: string, ...bodies: readonly EventBody[]) =>
    store.change(id, () => bodies.map((body) => newEvent(body)));
  const make = async (id: string, origin: "started" | "subagent", parentId: Parent) =>
    append(id, created({ origin, state: "running", identity: { parentId } }));
  await make("s", "started", null);
  await make("a", "subagent", "s");
  await make("b", "subagent", "a");
  const stateOf = async (id: string) => (await store.findRow(id))?.state;
  return {
    ...{ append, make, ends },
    remove: async (id: string) => store.remove([id], T1),
    begin: async () => {
      await hub.begin(rollcall, log);
      await ends.begin();
    },
    states: async (...ids: readonly string[]) => Promise.all(ids.map(stateOf)),
    reached: async (id: string, state: string) => {
      while ((await stateOf(id)) !== state) await idle();
    },
    [Symbol.asyncDispose]: async () => {
      await hub.end();
      await ends.end();
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}

test("the end of a session ends its sub-agents at every depth, and no session of its own below it", async () => {
  await using at = await place();
  await at.make("c", "started", "s");
  await at.begin();
  await at.append("s", seen("stopped"));
  await at.reached("b", "stopped");
  expect(await at.states("a", "b", "c")).toEqual(["stopped", "stopped", "running"]);
});

test("sub-agents of a session that was lost are lost with it, for nobody knows how they ended", async () => {
  await using at = await place();
  await at.begin();
  await at.append("s", happened("lost"));
  await at.reached("b", "unknown");
  expect(await at.states("a", "b")).toEqual(["unknown", "unknown"]);
});

test("sub-agents of a session that is deleted end with it", async () => {
  await using at = await place();
  await at.begin();
  await at.remove("s");
  await at.reached("b", "stopped");
  expect(await at.states("a")).toEqual(["stopped"]);
});

test("sub-agents of a session that nobody carried any more are lost with it", async () => {
  await using at = await place();
  await at.begin();
  await at.append("s", happened("reconciled"));
  await at.reached("b", "unknown");
  expect(await at.states("a")).toEqual(["unknown"]);
});

test("sub-agents of a session that was resumed by the time its end is heard of stay at work", async () => {
  await using at = await place();
  await at.make("t", "started", null);
  await at.make("d", "subagent", "t");
  await at.begin();
  await at.append("s", seen("stopped"), happened("resumed"), happened("at_work"));
  await at.append("t", seen("stopped"));
  await at.reached("d", "stopped");
  expect(await at.states("s", "a")).toEqual(["running", "running"]);
});

test("the end of a sub-agent leaves those at work that it has started", async () => {
  await using at = await place();
  await at.make("t", "started", null);
  await at.make("d", "subagent", "t");
  await at.begin();
  await at.append("a", seen("stopped"));
  // Everything heard before is dealt with.
  await at.append("t", seen("stopped"));
  await at.reached("d", "stopped");
  expect(await at.states("a", "b")).toEqual(["stopped", "running"]);
});

test("an event that is no end ends no sub-agent", async () => {
  await using at = await place();
  await at.begin();
  await at.append("s", happened("at_prompt"));
  await at.append("s", seen("stopped"));
  await at.reached("a", "stopped");
  await at.append("s", happened("resumed"));
  await at.append("s", happened("at_work"));
  await at.make("e", "subagent", "s");
  await at.append("s", happened("at_prompt"));
  await at.ends.end();
  expect(await at.states("e")).toEqual(["running"]);
});

test.each([
  ["lives", undefined, "running"],
  ["ended", seen("stopped"), "stopped"],
  ["was lost", happened("lost"), "unknown"],
] as const)("a daemon that comes back finds sub-agents whose session %s", async (_, body, state) => {
  await using at = await place();
  if (body) await at.append("s", body);
  await at.begin();
  expect(await at.states("a", "b")).toEqual([state, state]);
});

test("a sub-agent whose session is not recorded any more ends when a daemon comes back", async () => {
  await using at = await place();
  await at.make("o", "subagent", null);
  await at.begin();
  expect(await at.states("o", "a")).toEqual(["stopped", "running"]);
});

test("sub-agents that name each other as their parents are ended when a daemon comes back, and it comes up", async () => {
  await using at = await place();
  await at.make("x", "subagent", "y");
  await at.make("y", "subagent", "x");
  await at.begin();
  expect(await at.states("a")).toEqual(["running"]);
});
