import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../testing/temp-folder.ts";
import { refusalOf } from "../../testing/temp-rollcall.ts";
import { readSettingsFile, replaceSettingsFile } from "./settings-file.ts";

test("what someone else has written since is left as it is", async () => {
  using folder = tempFolder();
  const path = join(folder.path, "settings.json");
  for (const [before, meanwhile] of [
    [null, "{}"],
    ["{}", '{"theirs":1}'],
  ] as const) {
    if (before !== null) writeFileSync(path, before);
    const file = readSettingsFile(path);
    writeFileSync(path, meanwhile);
    expect(await refusalOf((async () => replaceSettingsFile(file, '{"ours":1}', 0))())).toBe(
      "settings_changed",
    );
    expect([readFileSync(path, "utf8"), readdirSync(folder.path)]).toEqual([meanwhile, ["settings.json"]]);
  }
});

test("a copy that is there is never written over, and the file stays", async () => {
  using folder = tempFolder();
  const path = join(folder.path, "settings.json");
  writeFileSync(path, "{}");
  const backup = replaceSettingsFile(readSettingsFile(path), '{"a":1}', 0) as string;
  const again = readSettingsFile(path);
  expect(await refusalOf((async () => replaceSettingsFile(again, '{"b":1}', 0))())).toBe("settings_failed");
  expect([readFileSync(path, "utf8"), readFileSync(backup, "utf8")]).toEqual(['{"a":1}', "{}"]);
  expect(readdirSync(folder.path)).toHaveLength(2);
});
