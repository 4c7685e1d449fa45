import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { findSnapshot, type Snapshot, writeSnapshot } from "./snapshot-file.ts";

const size = { cols: 80, rows: 24 };
const at = (offset: number, text = String(offset)): Snapshot => ({ offset, bytes: Buffer.from(text), size });

describe("a snapshot file", () => {
  test("is found again with its offset and size", async () => {
    using folder = tempFolder();
    await writeSnapshot(folder.path, at(123, "\x1b[H"));
    expect(await findSnapshot(folder.path)).toEqual(at(123, "\x1b[H"));
  });

  test("holds the bytes alone, for its user alone, under a name of 16 digits", async () => {
    using folder = tempFolder();
    await writeSnapshot(folder.path, at(123));
    const path = join(folder.path, "snapshot-0000000000000123");
    expect(readFileSync(path, "utf8")).toBe("123");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("takes the place of older ones and of what a crash left, and of nothing else", async () => {
    using folder = tempFolder();
    for (const name of [".snapshot-0000000000000001.tmp", "snapshot-1", "out-0000000000000000", "exit.json"])
      writeFileSync(join(folder.path, name), "");
    for (const offset of [1, 20, 300]) await writeSnapshot(folder.path, at(offset));
    expect(readdirSync(folder.path).sort()).toEqual([
      "exit.json",
      "out-0000000000000000",
      "snapshot-0000000000000300",
      "snapshot-0000000000000300.json",
      "snapshot-1",
    ]);
  });

  test("is the newest that is complete", async () => {
    using folder = tempFolder();
    await writeSnapshot(folder.path, at(5));
    writeFileSync(join(folder.path, "snapshot-0000000000000009.json"), JSON.stringify(size));
    writeFileSync(join(folder.path, ".snapshot-0000000000000009.tmp"), "half");
    expect(await findSnapshot(folder.path)).toEqual(at(5));
  });

  test("may be missing", async () => {
    using folder = tempFolder();
    expect(await findSnapshot(folder.path)).toBeUndefined();
  });

  test("is found whole while others take its place", async () => {
    using folder = tempFolder();
    await writeSnapshot(folder.path, at(1));
    const state = { isWriting: true };
    const writing = (async () => {
      for (let offset = 2; offset < 60; offset++) await writeSnapshot(folder.path, at(offset));
      state.isWriting = false;
    })();
    let newest = 0;
    while (state.isWriting) {
      const found = await findSnapshot(folder.path);
      expect(String(found?.bytes)).toBe(String(found?.offset));
      expect(found?.offset).toBeGreaterThanOrEqual(newest);
      newest = found?.offset ?? 0;
    }
    await writing;
  });

  test("that cannot be written leaves the old one", async () => {
    using folder = tempFolder();
    await writeSnapshot(folder.path, at(1));
    await expect(writeSnapshot(join(folder.path, "gone"), at(2))).rejects.toThrow(/ENOENT/);
    rmSync(join(folder.path, "gone"), { force: true });
    expect(existsSync(join(folder.path, "snapshot-0000000000000001"))).toBe(true);
  });
});
