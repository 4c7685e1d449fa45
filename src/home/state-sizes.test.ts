import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { stateSizes } from "./state-sizes.ts";

test("files of the state folder are counted by kind, and what a link leads to is not", async () => {
  using folder = tempFolder();
  const home = join(folder.path, "home");
  const write = (path: string, bytes: number) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), "x".repeat(bytes));
  };
  write("home/rollcall.db", 1);
  write("home/rollcall.db-wal", 2);
  write("home/rollcall.db.before-restore-1", 4);
  write("home/backups/one.db", 8);
  write("home/recordings/a/1.cast", 16);
  write("home/originals/claude/a/1.gz", 512);
  write("home/daemon.log.1", 32);
  write("home/run/sessions/l/output", 64);
  write("home/config.json", 128);
  write("elsewhere/file", 256);
  symlinkSync(join(folder.path, "elsewhere"), join(home, "recordings", "b"));
  symlinkSync(join(folder.path, "elsewhere", "file"), join(home, "daemon.log"));
  expect(await stateSizes(home, { mostMs: 60_000 })).toEqual({
    bytes: { store: 3, recordings: 16, originals: 512, backups: 12, logs: 32, live: 64, files: 128 },
    isWhole: true,
  });
});

test("a walk that has no time says that it did not see everything, and a folder that is not there has nothing", async () => {
  using folder = tempFolder();
  writeFileSync(join(folder.path, "config.json"), "x");
  expect(await stateSizes(folder.path, { mostMs: -1 })).toMatchObject({ isWhole: false });
  expect(await stateSizes(join(folder.path, "no"), { mostMs: 60_000 })).toMatchObject({
    bytes: { files: 0 },
    isWhole: true,
  });
});
