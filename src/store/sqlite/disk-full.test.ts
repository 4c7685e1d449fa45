import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { created, entryAdded } from "../../testing/events.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { append, codeOf } from "../contract/place.ts";
import { openSqliteStore } from "./store.ts";

const canMount = tryToMount();
if (!canMount) console.log("not run: the test of a full disk (run it as root, where a tmpfs can be mounted)");

describe.runIf(canMount || process.env.CI === "true")("a full disk", () => {
  test("is told in one sentence, loses nothing acknowledged, and the store works again with room", async () => {
    using disk = smallDisk();
    const ballast = join(disk.path, "ballast");
    writeFileSync(ballast, Buffer.alloc(1_000_000));
    await using store = openSqliteStore({ path: join(disk.path, "rollcall.db") });
    await append(store, "s", created());
    const { acknowledged, code } = await fillUp(() => append(store, "s", entryAdded("x".repeat(20_000))));
    expect([code, acknowledged > 10]).toEqual(["store_full", true]);
    expect((await store.entries("s")).length).toBe(acknowledged);
    rmSync(ballast);
    expect(await codeOf(append(store, "s", entryAdded("after")))).toBe("done");
    expect((await store.entries("s", { tail: true, limit: 1 }))[0]).toMatchObject({
      seq: acknowledged + 2,
      text: "after",
    });
    expect((await store.verify()).problems).toEqual([]);
  });

  test("fails every change that was asked for together, each with a code", async () => {
    using disk = smallDisk();
    await using store = openSqliteStore({ path: join(disk.path, "rollcall.db") });
    await append(store, "s", created());
    await fillUp(() => append(store, "s", entryAdded("x".repeat(100_000))));
    const many = Array.from({ length: 20 }, () =>
      codeOf(append(store, "s", entryAdded("x".repeat(300_000)))),
    );
    expect(new Set(await Promise.all(many))).toEqual(new Set(["store_full"]));
  });

  test("when a store is made there gives one clear sentence", () => {
    using disk = smallDisk();
    expect(() => writeFileSync(join(disk.path, "ballast"), Buffer.alloc(4_000_000))).toThrow(/ENOSPC/);
    const open = () => openSqliteStore({ path: join(disk.path, "rollcall.db") });
    expect(open).toThrowError(expect.objectContaining({ code: "store_full" }));
    rmSync(join(disk.path, "ballast"));
    expect(open).not.toThrow();
  });
});

async function fillUp(write: () => Promise<unknown>): Promise<{ acknowledged: number; code: string }> {
  for (let acknowledged = 0; ; acknowledged++) {
    const code = await codeOf(write());
    if (code !== "done") return { acknowledged, code };
  }
}

function smallDisk() {
  const folder = tempFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", folder.path]);
  return {
    path: folder.path,
    [Symbol.dispose]: () => {
      execFileSync("umount", ["--lazy", folder.path]);
      folder[Symbol.dispose]();
    },
  };
}

function tryToMount(): boolean {
  try {
    smallDisk()[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}
