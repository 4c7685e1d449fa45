import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SubagentFiles } from "../../agents/subagents.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { SubagentFileFinder } from "./subagent-files.ts";

const OWN = "agent-999999.jsonl";

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
