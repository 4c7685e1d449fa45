import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SubagentFiles } from "../../agents/subagents.ts";
import { idle } from "../../testing/session/fake-time.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { SubagentFileFinder } from "./subagent-files.ts";

const OWN = "agent-999999.jsonl";

/** A session whose agent writes a file for each sub-agent and a description beside it, on a clock that stands. */
function filesPlace({
  transcript = "main.jsonl",
  nativeId = "main" as string | null,
  hasSidecar = true,
} = {}) {
  const folder = tempFolder();
  const path = join(folder.path, "files", "agent-1.jsonl");
  const described = `${path}.meta`;
  mkdirSync(join(folder.path, "files"));
  writeFileSync(path, "{}\n");
  const sidecar = {
    pathOf: () => described,
    parse: () => ({ agentName: "helper" }),
  };
  const facts = {
    folders: () => [join(folder.path, "files")],
    identify: () => ({ nativeId: "sub", sessionNativeId: "main" }),
    ...(hasSidecar ? { sidecar } : {}),
  } as unknown as SubagentFiles;
  const clock = { nowMs: Number.MAX_SAFE_INTEGER };
  const looks = new Recorder<number | undefined>();
  const finder = new SubagentFileFinder(
    {
      context: { now: () => clock.nowMs },
      transcript: { path: join(folder.path, transcript) },
      target: { nativeId },
    },
    looks.add,
    facts,
  );
  return {
    ...{ folder: join(folder.path, "files"), path, finder, clock, looks },
    describe: () => writeFileSync(described, "{}"),
    found: () => finder.find(() => false).map(({ subagent }) => subagent.agentName ?? "nameless"),
    [Symbol.dispose]: () => {
      finder.stop();
      folder[Symbol.dispose]();
    },
  };
}

test("a folder with thousands of files is looked through in parts, and its sub-agent is found", () => {
  using folder = tempFolder();
  const files = join(folder.path, "files");
  mkdirSync(files);
  for (let n = 0; n < 2500; n++) writeFileSync(join(files, `agent-${100_000 + n}.jsonl`), "{}\n");
  writeFileSync(join(files, OWN), "{}\n");
  let opened = 0;
  const soon: (number | undefined)[] = [];
  const facts = {
    folders: () => [files],
    identify: (path: string) => {
      opened += 1;
      return path.endsWith(OWN) ? { nativeId: "sub", sessionNativeId: "main" } : undefined;
    },
  } as unknown as SubagentFiles;
  const ports = {
    context: { now: () => 0 },
    transcript: { path: join(folder.path, "main.jsonl") },
    target: { nativeId: "main" },
  };
  const finder = new SubagentFileFinder(ports, (afterMs) => soon.push(afterMs), facts);
  const looks = [1, 2, 3].map(() => {
    const found = finder.find(() => false).map(({ subagent }) => subagent.nativeId);
    return [found, opened];
  });
  finder.stop();
  expect(looks).toEqual([
    [[], 1000],
    [[], 2000],
    [["sub"], 2501],
  ]);
  expect(soon).toEqual([1000, 1000]);
});

test.each([
  [
    "the transcript of its session names it",
    { transcript: "rollout-main.jsonl", nativeId: null },
    ["nameless"],
  ],
  ["its session goes by its name", { transcript: "other.jsonl", nativeId: "main" }, ["nameless"]],
  ["it belongs to another session", { transcript: "other.jsonl", nativeId: "another" }, []],
])("a file in the folder of sub-agents is one where %s", (_, given, found) => {
  using at = filesPlace({ ...given, hasSidecar: false });
  expect(at.found()).toEqual(found);
});

test("a sub-agent without a description is found once its file is a second old, and looked for until then", () => {
  using at = filesPlace();
  const madeMs = statSync(at.path).birthtimeMs;
  at.clock.nowMs = madeMs + 999;
  expect([at.found(), at.looks.all]).toEqual([[], [1000]]);
  at.clock.nowMs = madeMs + 1000;
  expect([at.found(), at.looks.all]).toEqual([["nameless"], [1000]]);
});

test.each([
  ["has its description", true, ["helper"]],
  ["writes none", false, ["nameless"]],
])("a sub-agent whose agent %s is found at once", (_, hasSidecar, found) => {
  using at = filesPlace({ hasSidecar });
  at.describe();
  at.clock.nowMs = statSync(at.path).birthtimeMs;
  expect([at.found(), at.looks.all]).toEqual([found, []]);
});

test("a file that comes or grows makes the folder be looked at, unless it belongs to somebody else", async () => {
  using at = filesPlace();
  at.found();
  at.finder.leaveOut(at.path);
  appendFileSync(at.path, "{}\n");
  await idle();
  expect(at.looks.all).toEqual([]);
  writeFileSync(join(at.folder, "agent-2.jsonl"), "{}\n");
  expect(await at.looks.first(1)).toEqual([undefined]);
});
