import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Leftover } from "../../domain/supervise/observation.ts";
import { toWire } from "../../domain/wire.ts";
import { identifyProcess } from "../../machine/process.ts";
import { exitOf } from "../../testing/carried.ts";
import { markedProcess } from "../../testing/living-process.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { keptLog } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { type SessionPlace, sessionPlace } from "../../testing/session/test-session.ts";
import { TraceWatch } from "./trace-watch.ts";

useFakeTime();

const MARKER = "d".repeat(32);
const LEFT: Leftover = { pid: 99, startTime: "1", bootId: "boot-a" };

interface Given {
  readonly leftovers?: readonly Leftover[];
  readonly isKilled?: boolean;
}

async function watchPlace({ leftovers = [], isKilled = true }: Given = {}) {
  const place: SessionPlace = await sessionPlace({ launch: { marker: MARKER } });
  const session = place.daemon();
  const steps = new Recorder<string>();
  const { log, messages } = keptLog();
  const ports = {
    ...{ id: session.id, folder: session.folder, carrying: session.carrying, context: session.context, log },
    isClosing: false,
    row: () => session.row(),
    observe: async (...args: Parameters<typeof session.observe>) => {
      steps.add(args[0].saw);
      return session.observe(...args);
    },
    holder: { readRest: async () => steps.add("read rest") },
    leftovers: {
      of: async () => [...leftovers],
      kill: async (marker: string, killed: readonly Leftover[]) => {
        steps.add(`kill ${marker === MARKER} ${killed.map(({ pid }) => pid)}`);
        return isKilled;
      },
    },
  };
  const watch = new TraceWatch(ports);
  const traces = () => session.observed.all.flatMap((each) => (each.saw === "traces" ? [each.traces] : []));
  return {
    ...{ place, session, ports, steps, messages, watch, traces },
    [Symbol.asyncDispose]: async () => {
      watch.stop();
      await idle();
      await place[Symbol.asyncDispose]();
    },
  };
}

test("traces are looked for after the time that was asked for, the last one", async () => {
  await using at = await watchPlace();
  at.watch.look(50);
  at.watch.look(200);
  await pass(199);
  await idle();
  expect(at.steps.all).toEqual([]);
  await pass(1);
  expect(await at.steps.first(1)).toEqual(["traces"]);
});

test("the traces of a launch are its holder, its leftovers and its age", async () => {
  await using at = await watchPlace({ leftovers: [LEFT] });
  await using holder = await markedProcess(MARKER);
  await using stranger = await markedProcess("e".repeat(32));
  const [holderIs, guardIs] = [holder, stranger].map(({ pid }) => identifyProcess(pid));
  const file = { holder: holderIs, guard: guardIs, agent: holderIs, bootId: holderIs?.bootId };
  writeFileSync(join(at.place.folder, "holder.json"), JSON.stringify(toWire(file)));
  await at.watch.lookNow();
  expect(at.traces()).toMatchObject([
    {
      isHolderAlive: true,
      isGuardAlive: false,
      holderBootId: holderIs?.bootId,
      agent: holderIs,
      exit: null,
      leftovers: [LEFT],
      ageMs: Date.now() - Date.parse(at.session.carrying.launch.at),
    },
  ]);
});

test.each([
  ["an agent whose tree is empty", "empty"],
  ["an agent whose holder is gone", "ending"],
] as const)("the rest of the output of %s is read before its traces are decided on", async (_, tree) => {
  await using at = await watchPlace();
  writeFileSync(join(at.place.folder, "exit.json"), JSON.stringify(toWire(exitOf(0, tree))));
  await at.watch.lookNow();
  expect(at.steps.all).toEqual(["read rest", "traces"]);
});

test.each([
  ["is left to itself while its tree is being ended", "ending", ["traces"]],
  ["is read to the end when its tree is empty", "empty", ["read rest", "traces"]],
] as const)("the output of a living holder %s", async (_, tree, steps) => {
  await using at = await watchPlace();
  await using holder = await markedProcess(MARKER);
  const is = identifyProcess(holder.pid);
  const file = { holder: is, guard: is, agent: is, bootId: is.bootId };
  writeFileSync(join(at.place.folder, "holder.json"), JSON.stringify(toWire(file)));
  writeFileSync(join(at.place.folder, "exit.json"), JSON.stringify(toWire(exitOf(0, tree))));
  await at.watch.lookNow();
  expect(at.steps.all).toEqual(steps);
});

test("nothing is looked for once the session is being closed, or has no record", async () => {
  await using at = await watchPlace();
  at.ports.isClosing = true;
  await at.watch.lookNow();
  at.ports.isClosing = false;
  at.ports.row = async () => undefined;
  await at.watch.lookNow();
  expect(at.steps.all).toEqual([]);
});

test("a look that fails is logged and tried again 5 s later", async () => {
  await using at = await watchPlace();
  mkdirSync(join(at.place.folder, "exit.json"));
  await at.watch.lookNow();
  expect([at.messages, at.steps.all]).toEqual([["could not look for traces"], []]);
  expect(vi.getTimerCount()).toBe(1);
  await pass(5000);
  await idle();
  expect(at.messages).toHaveLength(2);
});

test.each([
  ["that are gone", true, 0],
  ["that are still there", false, 5000],
])("traces are looked for again after leftovers were ended %s", async (_, isKilled, afterMs) => {
  await using at = await watchPlace({ isKilled });
  at.watch.kill([LEFT]);
  await idle();
  expect(at.steps.all).toEqual(["kill true 99"]);
  if (afterMs > 0) await pass(afterMs - 1);
  await idle();
  expect(at.steps.all).toHaveLength(1);
  await pass(1);
  expect(await at.steps.first(2)).toEqual(["kill true 99", "traces"]);
});

test("a trace watch that is stopped looks no more", async () => {
  await using at = await watchPlace();
  at.watch.look(50);
  at.watch.stop();
  await pass(50);
  await idle();
  expect(at.steps.all).toEqual([]);
});
