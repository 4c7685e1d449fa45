import { closeSync, mkdirSync, openSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Mode } from "../../agents/agent.ts";
import { identifyProcess } from "../../machine/process.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { factsOf, keptIntake, keptLog } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { TranscriptFinder } from "./transcript-finder.ts";

useFakeTime();

/** Files that this process, which stands for the agent's, has open for writing. */
function openFiles(folder: string) {
  const fds: number[] = [];
  return {
    /** Written so long after the agent has begun something. */
    write: (name: string, { afterMs = 0, flags = "a", text = "own\n" } = {}) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      fds.push(openSync(path, flags));
      const seconds = (Date.now() + afterMs) / 1000;
      utimesSync(path, seconds, seconds);
      return path;
    },
    [Symbol.dispose]: () => fds.forEach((fd) => void closeSync(fd)),
  };
}

interface Given {
  readonly isNamed?: boolean;
  readonly transcript?: Partial<NonNullable<Mode["sources"]["transcript"]>>;
}

function finderOf(folder: string, { isNamed = false, transcript = {} }: Given = {}) {
  const { taken, intake } = keptIntake();
  const looks = new Recorder<string>();
  const reader = { path: null as string | null, follow: () => {}, readTurn: async () => true };
  const finder = new TranscriptFinder({
    ...factsOf({
      folder: "/launch",
      agentPaths: { transcripts: isNamed ? null : folder },
      mode: {
        sources: {
          transcript: {
            parse: () => ({}),
            identityIn: (name) => (name.startsWith("rollout-") ? { nativeId: name.slice(8) } : undefined),
            ...transcript,
          },
        },
      },
    }),
    target: { nativeId: "1", memory: {} },
    ...keptLog(),
    intake,
    transcript: reader,
    leftovers: {
      of: async (marker, launch) => {
        looks.add(`${marker} ${launch}`);
        return [identifyProcess(process.pid)];
      },
    },
  });
  const found = () =>
    taken.all.map(({ parsed, isSettled }) => parsed?.transcript ?? (isSettled && "settled"));
  return { finder, reader, looks, taken, found, [Symbol.dispose]: () => finder.stop() };
}

/** Lets the finder look once more. */
async function next(ms: number): Promise<void> {
  await pass(ms);
  await idle();
}

test("a file that a process of the launch writes in the folder is followed, with the identity in its name", async () => {
  using folder = tempFolder();
  using files = openFiles(folder.path);
  using at = finderOf(folder.path);
  const path = files.write("rollout-1");
  at.finder.begin();
  await next(0);
  expect(at.taken.all).toEqual([
    { isSettled: true },
    { parsed: { identity: { nativeId: "1" }, transcript: path }, place: null },
  ]);
  expect(at.looks.all).toEqual(["marker-1 /launch"]);
});

test("a transcript folder behind a link is looked through by its real path", async () => {
  using folder = tempFolder();
  mkdirSync(join(folder.path, "real"));
  symlinkSync(join(folder.path, "real"), join(folder.path, "link"));
  using files = openFiles(join(folder.path, "real"));
  using at = finderOf(join(folder.path, "link"));
  const path = files.write("rollout-1");
  at.finder.begin();
  await next(0);
  expect(at.found()).toEqual(["settled", path]);
});

test.each([
  ["is no transcript by its name", "notes", {}, {}],
  ["is only read", "rollout-1", { flags: "r" }, {}],
  ["begins with a helper's line", "rollout-1", {}, { isOwn: (line: string) => line !== "own" }],
])("a file that %s is not followed", async (_, name, file, transcript) => {
  using folder = tempFolder();
  using files = openFiles(folder.path);
  using at = finderOf(folder.path, { transcript });
  files.write(name, file);
  at.finder.begin();
  await next(0);
  expect(at.taken.all).toEqual([]);
});

test("a file beside the transcript folder is not followed", async () => {
  using folder = tempFolder();
  using files = openFiles(folder.path);
  mkdirSync(join(folder.path, "sessions"));
  using at = finderOf(join(folder.path, "sessions"));
  files.write("rollout-1");
  at.finder.begin();
  await next(0);
  expect(at.taken.all).toEqual([]);
});

test("of several transcripts the one that was written last is followed", async () => {
  using folder = tempFolder();
  using files = openFiles(folder.path);
  using at = finderOf(folder.path);
  files.write("rollout-1", { afterMs: 10 });
  const last = files.write("rollout-2", { afterMs: 20 });
  files.write("rollout-3", { afterMs: 5 });
  at.finder.begin();
  await next(0);
  expect(at.found()).toEqual(["settled", last]);
});

test("a transcript that is older than what the agent has begun is followed, and a newer one looked for", async () => {
  using folder = tempFolder();
  using files = openFiles(folder.path);
  using at = finderOf(folder.path);
  const old = files.write("rollout-1", { afterMs: -21 });
  at.finder.begin();
  await next(0);
  expect([at.found(), at.looks.all.length]).toEqual([[old], 1]);
  const fresh = files.write("rollout-2");
  await next(40);
  expect(at.found()).toEqual([old, "settled", fresh]);
  await next(10_000);
  expect(at.looks.all).toHaveLength(2);
});

test("a transcript whose time is that of the last tick of the clock counts as new", async () => {
  using folder = tempFolder();
  using files = openFiles(folder.path);
  using at = finderOf(folder.path);
  files.write("rollout-1", { afterMs: -20 });
  at.finder.begin();
  await next(5000);
  expect(at.looks.all).toHaveLength(1);
});

test("a transcript that is followed already settles nothing", async () => {
  using folder = tempFolder();
  using files = openFiles(folder.path);
  using at = finderOf(folder.path);
  at.reader.path = files.write("rollout-1");
  at.finder.begin();
  await next(0);
  expect(at.found()).toEqual([at.reader.path]);
});

test("a transcript that does not come is looked for ever more seldom, forty times", async () => {
  using folder = tempFolder();
  using at = finderOf(folder.path);
  at.finder.begin();
  const counts: number[] = [];
  for (const ms of [0, 40, 80, 160, 249, 1]) {
    await next(ms);
    counts.push(at.looks.all.length);
  }
  expect(counts).toEqual([1, 2, 3, 4, 4, 5]);
  for (let tries = 0; tries < 60; tries++) await next(250);
  expect(at.looks.all).toHaveLength(40);
});

test("a new beginning makes the finder look again from the start", async () => {
  using folder = tempFolder();
  using at = finderOf(folder.path);
  at.finder.begin();
  for (let tries = 0; tries < 60; tries++) await next(250);
  at.finder.begin();
  await next(0);
  await next(40);
  expect(at.looks.all).toHaveLength(42);
});

test("a finder looks for nothing where the name of the transcript is known, or after it was stopped", async () => {
  using folder = tempFolder();
  using named = finderOf(folder.path, { isNamed: true });
  named.finder.begin();
  using stopped = finderOf(folder.path);
  stopped.finder.begin();
  stopped.finder.stop();
  await next(5000);
  expect([named.looks.all, stopped.looks.all]).toEqual([[], []]);
});

test("a file that is named for the conversation is followed, though no process keeps it open", async () => {
  using folder = tempFolder();
  writeFileSync(join(folder.path, "rollout-other"), "1\n");
  writeFileSync(join(folder.path, "named-1-copy"), "2\n");
  writeFileSync(join(folder.path, "named-1"), "1\n");
  using at = finderOf(folder.path, {
    transcript: {
      isNamedFor: (path, nativeId) => path.startsWith(`named-${nativeId}`),
      isOwn: (line, nativeId) => line === nativeId,
    },
  });
  await at.finder.catchUp();
  expect(at.found()).toEqual(["settled", join(folder.path, "named-1")]);
  expect(at.looks.all).toEqual([]);
  at.reader.path = join(folder.path, "named-1");
  at.finder.begin();
  await at.finder.catchUp();
  expect(at.found()).toHaveLength(2);
});
