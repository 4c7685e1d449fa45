import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { pass, useFakeTime } from "../testing/session/fake-time.ts";
import { Recorder } from "../testing/session/recorder.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { FolderWatch } from "./folder-watch.ts";

const RETRY_MS = 250;

useFakeTime();

function watchOf(folder: string) {
  const names = new Recorder<string | null>();
  const failures = new Recorder<unknown>();
  const watch = new FolderWatch(folder, { retryMs: RETRY_MS, changed: names.add, failed: failures.add });
  return { names, failures, watch, [Symbol.dispose]: () => watch.stop() };
}

test("a file that is written into a watched folder is told by its name", async () => {
  using folder = tempFolder();
  using watched = watchOf(folder.path);
  watched.watch.begin();
  writeFileSync(join(folder.path, "a"), "1");
  expect(await watched.names.first(1)).toEqual(["a"]);
  expect(watched.failures.all).toEqual([]);
});

test("a folder that comes later is watched at the next try, and everything in it counts as changed", async () => {
  using parent = tempFolder();
  const folder = join(parent.path, "later");
  using watched = watchOf(folder);
  watched.watch.begin();
  expect(watched.failures.all).toHaveLength(1);
  mkdirSync(folder);
  await pass(RETRY_MS - 1);
  expect(watched.names.all).toEqual([]);
  await pass(1);
  expect(watched.names.all).toEqual([null]);
  writeFileSync(join(folder, "a"), "1");
  expect(await watched.names.first(2)).toEqual([null, "a"]);
});

test("a folder that stays away is tried again and again, and tells of each try", async () => {
  using parent = tempFolder();
  using watched = watchOf(join(parent.path, "never"));
  watched.watch.begin();
  await pass(3 * RETRY_MS);
  expect([watched.failures.all.length, watched.names.all]).toEqual([4, [null, null, null]]);
});

test("a folder that is begun again is watched once", async () => {
  using parent = tempFolder();
  using watched = watchOf(join(parent.path, "never"));
  watched.watch.begin();
  watched.watch.begin();
  expect([watched.failures.all.length, vi.getTimerCount()]).toEqual([1, 1]);
});

test("a watch that is stopped tries no more", async () => {
  using folder = tempFolder();
  using watched = watchOf(join(folder.path, "never"));
  watched.watch.begin();
  watched.watch.stop();
  expect([watched.failures.all.length, vi.getTimerCount()]).toEqual([1, 0]);
});

test.each([
  ["begun", true],
  ["not begun", false],
])(
  "a watch that was stopped when it was %s tells of nothing, also when it is begun again",
  async (_, begun) => {
    using folder = tempFolder();
    using stopped = watchOf(folder.path);
    using other = watchOf(folder.path);
    if (begun) stopped.watch.begin();
    stopped.watch.stop();
    stopped.watch.begin();
    other.watch.begin();
    writeFileSync(join(folder.path, "a"), "1");
    await other.names.first(1);
    expect(stopped.names.all).toEqual([]);
  },
);
