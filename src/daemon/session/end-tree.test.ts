import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { command } from "../../agents/command/adapter.ts";
import type { Deed } from "../../agents/deed.ts";
import { toWire } from "../../domain/wire.ts";
import { isStopped } from "../../machine/proc.ts";
import { identifyProcess } from "../../machine/process.ts";
import { markedProcess } from "../../testing/living-process.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { factsOf, holderOf, KeptConnection, keptLog } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { EndTree } from "./end-tree.ts";

useFakeTime();

const STOP: Deed = { via: "keys", bytes: "\u0004" };

interface Given {
  readonly folder?: string;
  readonly isPolite?: boolean;
  readonly isGone?: boolean;
  readonly deliver?: () => Promise<void>;
  readonly program?: string;
}

/** An agent that knows how to leave by itself, or does not. */
function endOf({
  folder = "/nowhere",
  isPolite = false,
  isGone = false,
  deliver,
  program = "/nowhere/holder",
}: Given = {}) {
  const connection = new KeptConnection();
  const steps = new Recorder<string>();
  const { add } = connection.sent;
  Object.assign(connection.sent, { add: (frame: string) => [add(frame), steps.add(frame)] });
  const { log, messages } = keptLog();
  const [mode] = command.modes;
  const controls = { ...mode?.controls, stop: () => (isPolite ? STOP : undefined) } as never;
  const end = new EndTree({
    ...factsOf({ folder, mode: { controls } }),
    log,
    target: { nativeId: null, memory: {} },
    ...holderOf(isGone ? {} : { connection }),
    delivery: {
      untilReadyMs: async () => 0,
      deliver: async () => {
        steps.add("polite");
        await deliver?.();
      },
      implied: async () => {},
    },
    look: (afterMs) => steps.add(`look ${afterMs}`),
    programs: { holder: program },
    lookAtTreeNow: () => steps.add("tree"),
  });
  return { end, steps, messages, [Symbol.dispose]: () => end.stop() };
}

const ended = (graceMs: number) => `E {"grace_ms":${graceMs}}`;

test("an agent that knows no other way is ended at once, with the whole grace", () => {
  using at = endOf();
  at.end.begin(4000);
  expect(at.steps.all).toEqual(["tree", ended(4000)]);
});

test.each([
  [4000, 1000],
  [1000, 500],
])("an agent is asked to leave first: of a grace of %i ms it gets %i", async (graceMs, politeMs) => {
  using at = endOf({ isPolite: true });
  at.end.begin(graceMs);
  await pass(politeMs - 1);
  expect(at.steps.all).toEqual(["tree", "polite"]);
  await pass(1);
  expect(at.steps.all).toEqual(["tree", "polite", ended(graceMs - politeMs)]);
});

test("an agent is not asked to leave where there is no grace", () => {
  using at = endOf({ isPolite: true });
  at.end.begin(0);
  expect(at.steps.all).toEqual(["tree", ended(0)]);
});

test("an end that is asked for again asks the agent no more, and comes sooner", async () => {
  using at = endOf({ isPolite: true });
  at.end.begin(4000);
  at.end.begin(2000);
  expect(at.steps.all).toEqual(["tree", "polite", "tree", ended(2000)]);
  await pass(1000);
  expect(at.steps.all).toHaveLength(4);
});

test("a tree is ended though the agent could not be asked to leave", async () => {
  using at = endOf({ isPolite: true, deliver: () => Promise.reject(new Error("gone")) });
  at.end.begin(4000);
  await pass(1000);
  expect(at.steps.all.at(-1)).toBe(ended(3000));
  expect(at.messages).toEqual(["could not ask the agent to leave"]);
});

test("an end that is not proven 5 s after its grace is tried again without grace, and traces are looked for", async () => {
  using at = endOf();
  at.end.begin(4000);
  await pass(8999);
  expect(at.steps.all).toHaveLength(2);
  await pass(1);
  expect(at.steps.all.slice(2)).toEqual(["look 0", ended(0)]);
  await pass(5000);
  expect(at.steps.all.slice(4)).toEqual(["look 0", ended(0)]);
});

test("a tree whose holder nobody is connected to is ended by a file", async () => {
  using folder = tempFolder();
  using at = endOf({ folder: folder.path, isGone: true, isPolite: true });
  at.end.begin(4000);
  expect(await contentOf(join(folder.path, "end"))).toBe("4000");
  expect(at.steps.all).toEqual(["tree"]);
});

test("a holder that someone has stopped is woken before its tree is ended, and a guard that runs is not", async () => {
  using folder = tempFolder();
  await using guard = await markedProcess(basename(folder.path));
  await using holder = await markedProcess(basename(folder.path));
  process.kill(holder.pid, "SIGSTOP");
  while (!isStopped(holder.pid)) await idle(1);
  const [guardIs, holderIs] = [guard, holder].map(({ pid }) => identifyProcess(pid));
  const file = { guard: guardIs, holder: holderIs, agent: holderIs, bootId: holderIs?.bootId };
  writeFileSync(join(folder.path, "holder.json"), JSON.stringify(toWire(file)));
  const program = join(folder.path, "program");
  writeFileSync(
    program,
    `#!/bin/sh\necho "$@" > ${folder.path}/called.tmp\nmv ${folder.path}/called.tmp ${folder.path}/called\n`,
  );
  chmodSync(program, 0o700);
  using at = endOf({ folder: folder.path, program });
  at.end.begin(0);
  const woken = `${holder.pid}:${holderIs?.startTime}`;
  expect(await contentOf(join(folder.path, "called"))).toBe(
    `--signal CONT ${basename(folder.path)} ${woken}\n`,
  );
});

/** A file that another part is about to put into its place. */
async function contentOf(path: string): Promise<string> {
  while (!existsSync(path)) await idle(1);
  return readFileSync(path, "utf8");
}

test("traces are looked for where an end cannot even be written down", async () => {
  using at = endOf({ folder: "/nowhere", isGone: true });
  at.end.begin(0);
  expect(await at.steps.first(2)).toEqual(["tree", "look 0"]);
});

test("an end that is asked for from inside begins when its caller was answered", async () => {
  using at = endOf();
  const answered = Promise.withResolvers<void>();
  at.end.holdUntil(answered.promise);
  at.end.begin(4000);
  await idle();
  expect(at.steps.all).toEqual(["tree"]);
  answered.resolve();
  expect(await at.steps.first(2)).toEqual(["tree", ended(4000)]);
  at.end.begin(0);
  expect(at.steps.all.at(-1)).toBe(ended(0));
});

test("an end that is held begins no more after its session was let go", async () => {
  using at = endOf();
  const answered = Promise.withResolvers<void>();
  at.end.holdUntil(answered.promise);
  at.end.begin(4000);
  at.end.stop();
  answered.resolve();
  await idle();
  expect(at.steps.all).toEqual(["tree"]);
});

test.each([
  ["polite", true],
  ["signalled", false],
])("an end that is %s does nothing more after its session was let go", async (_, isPolite) => {
  using at = endOf({ isPolite });
  at.end.begin(4000);
  const before = at.steps.all.length;
  at.end.stop();
  await pass(60_000);
  expect([at.steps.all.length, vi.getTimerCount()]).toEqual([before, 0]);
});
