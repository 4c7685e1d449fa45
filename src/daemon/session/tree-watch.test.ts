import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toWire } from "../../domain/wire.ts";
import { readTree, writeTree } from "../../home/known-tree.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";
import { bootId, identifyProcess } from "../../machine/process.ts";
import { type LivingProcess, livingProcess } from "../../testing/living-process.ts";
import { pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { factsOf, keptLog } from "../../testing/session/ports.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { FIRST_LOOK_MS, survivorsOf, TreeWatch } from "./tree-watch.ts";

useFakeTime();

const NOBODY = { pid: 999_999, startTime: "1" };

interface Given {
  /** By default the process of the test, so that its children are the tree. */
  readonly guard?: number;
  readonly isHeld?: boolean;
}

function launch(folder: string, agent: LivingProcess, { guard = process.pid, isHeld = true }: Given = {}) {
  mkdirSync(folder);
  const file = {
    ...{ guard: identifyProcess(guard), holder: NOBODY, bootId: bootId() },
    agent: identifyProcess(agent.pid),
  };
  if (isHeld) writeFileSync(join(folder, "holder.json"), JSON.stringify(toWire(file)));
  const { log, messages } = keptLog();
  return { ...factsOf({ folder }), log, messages, isClosing: false };
}

const membersIn = (folder: string) => readTree(folder)?.members.map(({ pid }) => pid);

test("sessions that do something share one look at the processes, at the earliest time asked for", async () => {
  using temp = tempFolder();
  await using agent = livingProcess();
  const [a, b] = ["a", "b"].map((name) => launch(join(temp.path, name), agent));
  if (!a || !b) throw new Error("There are two.");
  const trees = new TreeWatch();
  trees.look(a);
  trees.look(b, FIRST_LOOK_MS);
  trees.look(a);
  await pass(FIRST_LOOK_MS - 1);
  expect(membersIn(b.folder)).toBeUndefined();
  await pass(1);
  expect(membersIn(a.folder)).toContain(agent.pid);
  expect(membersIn(b.folder)).toContain(agent.pid);
});

test("a session that is looked at again is, after the first look has passed", async () => {
  using temp = tempFolder();
  await using agent = livingProcess();
  const a = launch(join(temp.path, "a"), agent);
  const trees = new TreeWatch();
  trees.look(a);
  await pass(5000);
  await using second = livingProcess();
  trees.look(a);
  await pass(5000);
  expect(membersIn(a.folder)).toContain(second.pid);
});

test("no note is made of a session that is forgotten, is being closed, or has no holder", async () => {
  using temp = tempFolder();
  await using agent = livingProcess();
  const forgotten = launch(join(temp.path, "a"), agent);
  const closing = { ...launch(join(temp.path, "b"), agent), isClosing: true };
  const unheld = launch(join(temp.path, "c"), agent, { isHeld: false });
  const trees = new TreeWatch();
  for (const session of [forgotten, closing, unheld]) trees.look(session);
  trees.forget(forgotten);
  await pass(5000);
  for (const { folder, messages } of [forgotten, closing, unheld]) {
    expect(readTree(folder)).toBeUndefined();
    expect(messages).toEqual([]);
  }
});

test("a tree that is as it was is not written again, and a note that fails is logged", async () => {
  using temp = tempFolder();
  await using agent = livingProcess();
  // Nothing else of the test is below it.
  const session = launch(join(temp.path, "a"), agent, { guard: agent.pid });
  const trees = new TreeWatch();
  trees.lookNow(session);
  const written = statSync(join(session.folder, LAUNCH_FILES.tree)).ino;
  trees.lookNow(session);
  expect(statSync(join(session.folder, LAUNCH_FILES.tree)).ino).toBe(written);
  const broken = launch(join(temp.path, "b"), agent);
  mkdirSync(join(broken.folder, LAUNCH_FILES.tree));
  trees.lookNow(broken);
  expect(broken.messages).toEqual(["could not look at the processes of a session"]);
});

test("survivors are members of the noted tree that live, and are the only ones noted from then on", async () => {
  using temp = tempFolder();
  await using agent = livingProcess();
  await using other = livingProcess();
  const { folder } = launch(join(temp.path, "a"), agent);
  const known = identifyProcess(agent.pid);
  const gone = identifyProcess(other.pid);
  const tree = { bootId: bootId(), agent: NOBODY, cwd: "/nowhere", reaper: 1 };
  const noted = { ...tree, members: [known, gone], sessions: [], groups: [], controlGroups: [] };
  writeTree(folder, noted);
  await other.kill();
  expect(survivorsOf(folder, null, "/nowhere")).toEqual([known]);
  expect(membersIn(folder)).toEqual([agent.pid]);
  await agent.kill();
  expect(survivorsOf(folder, null, "/nowhere")).toEqual([]);
  // Those that were noted last are what doctor looks for.
  expect(membersIn(folder)).toEqual([agent.pid]);
});

test("survivors of a tree that nobody noted are found by the agent, and by nothing without one", async () => {
  using temp = tempFolder();
  await using agent = livingProcess();
  const known = identifyProcess(agent.pid);
  const folder = join(temp.path, "gone");
  expect(survivorsOf(folder, null, "/nowhere")).toEqual([]);
  expect(survivorsOf(folder, known, "/nowhere")).toEqual([known]);
});
