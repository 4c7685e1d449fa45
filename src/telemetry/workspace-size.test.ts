import { execFileSync } from "node:child_process";
import { appendFileSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { workspaceSize } from "./workspace-size.ts";

const ENOUGH = { mostMs: 60_000 };

test("a folder takes what du says: hard links once, symbolic links not followed", async () => {
  using folder = tempFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at("deep/er"), { recursive: true });
  for (let n = 0; n < 100; n++) writeFileSync(at(`deep/${n}`), Buffer.alloc(n * 100, 1));
  writeFileSync(at("deep/er/big"), Buffer.alloc(300_000, 1));
  linkSync(at("deep/er/big"), at("again"));
  symlinkSync("/usr", at("elsewhere"));
  expect(await workspaceSize(folder.path, ENOUGH)).toBe(duOf(folder.path));
});

test("a file that grows in place is seen at once", async () => {
  using folder = tempFolder();
  const file = join(folder.path, "log");
  writeFileSync(file, Buffer.alloc(100_000, 1));
  const before = (await workspaceSize(folder.path, ENOUGH)) ?? 0;
  appendFileSync(file, Buffer.alloc(1_000_000, 1));
  const after = (await workspaceSize(folder.path, ENOUGH)) ?? 0;
  expect(after - before).toBeGreaterThanOrEqual(1_000_000 - 4096);
});

test("a walk that takes too long, is cancelled or finds no folder gives nothing", async () => {
  using folder = tempFolder();
  writeFileSync(join(folder.path, "a"), "a");
  expect(await workspaceSize(folder.path, { mostMs: -1 })).toBeNull();
  expect(await workspaceSize(folder.path, { ...ENOUGH, signal: AbortSignal.abort() })).toBeNull();
  expect(await workspaceSize(join(folder.path, "gone"), ENOUGH)).toBeNull();
});

function duOf(folder: string): number {
  return Number(execFileSync("du", ["-s", "-B1", folder], { encoding: "utf8" }).split("\t")[0]);
}
