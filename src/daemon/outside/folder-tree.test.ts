import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { FolderTree } from "./folder-tree.ts";

useFakeTime();

function place() {
  const folder = tempFolder();
  const changed = new Recorder<string>();
  const trees: FolderTree[] = [];
  return {
    changed,
    path: (...names: readonly string[]) => join(folder.path, ...names),
    begin: (...names: readonly string[]) => {
      const tree = new FolderTree(join(folder.path, ...names), changed.add);
      trees.push(tree);
      tree.begin();
      return tree;
    },
    /** Resolves once this file was reported. */
    reported: async (path: string) => changed.through((each) => each === path),
    [Symbol.dispose]: () => {
      for (const tree of trees) tree.stop();
      folder[Symbol.dispose]();
    },
  };
}

function write(path: string): string {
  writeFileSync(path, "text");
  return path;
}

test("a file that changes in a watched folder or one below it is reported, and one that is there is not", async () => {
  using at = place();
  mkdirSync(at.path("day"));
  write(at.path("before"));
  at.begin();
  const below = write(at.path("day", "one"));
  await at.reported(below);
  const top = write(at.path("two"));
  await at.reported(top);
  expect(new Set(at.changed.all)).toEqual(new Set([below, top]));
});

test("a folder that is made later is watched, and its files are reported", async () => {
  using at = place();
  at.begin();
  mkdirSync(at.path("later"));
  const first = write(at.path("later", "first"));
  await at.reported(first);
  await at.reported(write(at.path("later", "second")));
});

test("files are reported three folders deep, and no deeper", async () => {
  using at = place();
  mkdirSync(at.path("a", "b", "c", "d"), { recursive: true });
  at.begin();
  const deep = write(at.path("a", "b", "c", "d", "four"));
  await at.reported(write(at.path("a", "b", "c", "three")));
  await at.reported(write(at.path("last")));
  expect(at.changed.all).not.toContain(deep);
});

test("a folder that is made too deep is not watched, and its files are not reported", async () => {
  using at = place();
  mkdirSync(at.path("a", "b", "c"), { recursive: true });
  at.begin();
  mkdirSync(at.path("a", "b", "c", "d"));
  const deep = write(at.path("a", "b", "c", "d", "four"));
  await at.reported(write(at.path("a", "b", "c", "three")));
  await at.reported(write(at.path("last")));
  expect(at.changed.all).not.toContain(deep);
});

test("the root that is made later is watched as soon as its folder above tells", async () => {
  using at = place();
  at.begin("agent", "sessions");
  mkdirSync(at.path("agent", "sessions"), { recursive: true });
  await at.reported(write(at.path("agent", "sessions", "one")));
});

test("the root that is made where no folder near it exists is found after five seconds, with its files", async () => {
  using at = place();
  at.begin("a", "b", "c", "sessions");
  mkdirSync(at.path("a", "b", "c", "sessions"), { recursive: true });
  const one = write(at.path("a", "b", "c", "sessions", "one"));
  await pass(4999);
  await idle();
  expect(at.changed.all).toEqual([]);
  await pass(1);
  await at.reported(one);
});

test("the root is looked for again and again while it is missing", async () => {
  using at = place();
  at.begin("a", "b", "c", "sessions");
  await pass(5000);
  await pass(5000);
  mkdirSync(at.path("a", "b", "c", "sessions"), { recursive: true });
  const one = write(at.path("a", "b", "c", "sessions", "one"));
  await pass(5000);
  await at.reported(one);
});

test("a tree that was stopped reports nothing, whether its root is there or comes later", async () => {
  using at = place();
  using witness = place();
  at.begin().stop();
  at.begin("a", "b", "c", "sessions").stop();
  mkdirSync(at.path("a", "b", "c", "sessions"), { recursive: true });
  write(at.path("a", "b", "c", "sessions", "one"));
  write(at.path("one"));
  witness.begin();
  await witness.reported(write(witness.path("one")));
  await pass(60_000);
  await idle();
  expect(at.changed.all).toEqual([]);
});

test("a tree that was stopped before it begins watches nothing", async () => {
  using at = place();
  using witness = place();
  const tree = at.begin();
  tree.stop();
  tree.begin();
  witness.begin();
  write(at.path("one"));
  await witness.reported(write(witness.path("one")));
  await idle();
  expect(at.changed.all).toEqual([]);
});

test("files in folders that were made together are reported, though the lower one was never seen made", async () => {
  using at = place();
  at.begin();
  mkdirSync(at.path("month", "day"), { recursive: true });
  await at.reported(write(at.path("month", "day", "one")));
});

test("a folder that is removed and made again is watched again", async () => {
  using at = place();
  mkdirSync(at.path("day"));
  at.begin();
  rmSync(at.path("day"), { recursive: true });
  await at.reported(at.path("day"));
  mkdirSync(at.path("day"));
  await at.reported(write(at.path("day", "two")));
  await at.reported(write(at.path("day", "three")));
});

test("a folder that is removed and made again before anybody looks is watched again", async () => {
  using at = place();
  mkdirSync(at.path("day", "hour"), { recursive: true });
  at.begin();
  rmSync(at.path("day"), { recursive: true });
  mkdirSync(at.path("day", "hour"), { recursive: true });
  await at.reported(write(at.path("day", "hour", "one")));
  await at.reported(write(at.path("day", "hour", "two")));
});

test("the root that is removed and made again is watched again", async () => {
  using at = place();
  mkdirSync(at.path("root"));
  at.begin("root");
  await at.reported(write(at.path("root", "one")));
  rmSync(at.path("root"), { recursive: true });
  mkdirSync(at.path("root"));
  await at.reported(write(at.path("root", "two")));
  await at.reported(write(at.path("root", "three")));
});

test("a file with the name of its folder may come and go, and the folder stays watched", async () => {
  using at = place();
  mkdirSync(at.path("root", "day"), { recursive: true });
  at.begin("root");
  for (const folder of [at.path("root"), at.path("root", "day")]) {
    const same = write(join(folder, basename(folder)));
    await at.reported(same);
    rmSync(same);
    await at.reported(write(join(folder, "last")));
  }
});
