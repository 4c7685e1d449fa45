import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Driver } from "./driver.ts";
import { mountTmpfs, whyNot } from "./mounts.ts";
import { Place } from "./place.ts";
import { report, seededRandom, times } from "./scale.ts";
import { sh } from "./sh.ts";

const reason = whyNot("tmpfs");
if (reason !== undefined) report(`full disk: not run: ${reason}`);

const FULL = {
  code: "store_full",
  message: expect.stringMatching(/^The disk that holds \S+ is full; nothing was written\.$/),
  hint: expect.stringContaining("Make room"),
};

describe.skipIf(reason !== undefined)("full disk", () => {
  test("a full disk refuses what does not fit, keeps the rest, and is written again when there is room", async () => {
    using place = new Place("full");
    const random = seededRandom("full disk");
    using disk = mountTmpfs(place.path("disk"), "size=6m");
    await using driver = new Driver({ env: place.env });
    const home = join(disk.path, "home");
    await driver.get("open", home, place.folder("workspace"));
    const id = await driver.get("create", false);
    const { ino } = statSync(join(home, "rollcall.db"));
    const acknowledged: number[] = [];
    const rounds = times(10, 60);
    for (let round = 0; round < rounds; round++) {
      const from = round * 1000;
      // However much is left, down to the page: the disk is full before, during or after the commit.
      fillUp(disk.path, random.between(0, 100) * 4096);
      const one = await driver.get("record", id, from, 500, random.between(1000, 3000));
      const many = await driver.get("burst", id, from + 500, 10, 3000);
      acknowledged.push(...one.acknowledged, ...many.acknowledged);
      expect([...one.failures, ...many.failures]).toEqual(
        Array(1 + 10 - many.acknowledged.length).fill(FULL),
      );
      // Something smaller may still fit.
      expect(await driver.ask("create", false)).toSatisfy(
        (answer) => "value" in answer || isFull(answer.error),
      );
      expect(await driver.get("numbers", id)).toEqual(acknowledged);
      disk.remount(`size=${6 + 2 * (round + 1)}m`);
      rmSync(join(disk.path, "ballast"));
      acknowledged.push(...(await driver.get("record", id, from + 900, 3, 10)).acknowledged);
    }
    expect(await driver.get("numbers", id)).toEqual(acknowledged);
    expect((await driver.get("verify")).problems).toEqual([]);
    expect(statSync(join(home, "rollcall.db")).ino).toBe(ino);
    report(`full disk: filled ${rounds} times, ${acknowledged.length} acknowledged, 0 lost`);
    await driver.get("close");
    await driver.child.kill();
  });

  test("a store that is opened on a full disk says that the disk is full", async () => {
    using place = new Place("full");
    using disk = mountTmpfs(place.path("disk"), "size=6m");
    await using driver = new Driver({ env: place.env });
    const [home, workspace] = [join(disk.path, "home"), place.folder("workspace")];
    const id = await recordAndClose(driver, home, workspace);
    fillUp(disk.path, 0);
    const opened = await driver.ask("open", home, workspace);
    const made = await driver.ask("open", join(disk.path, "other"), workspace);
    rmSync(join(disk.path, "ballast"));
    await driver.get("open", home, workspace);
    expect(await driver.get("numbers", id)).toEqual([0, 1, 2]);
    await driver.child.kill();
    expect({ opened, made }).toMatchObject({ opened: { error: FULL }, made: { error: FULL } });
  });

  test("a backup that does not fit leaves nothing behind", async () => {
    using place = new Place("full");
    using disk = mountTmpfs(place.path("disk"), "size=6m");
    await using driver = new Driver({ env: place.env });
    await driver.get("open", place.path("home"), place.folder("workspace"));
    await driver.get("record", await driver.get("create", false), 0, 50, 2000);
    fillUp(disk.path, 5 * 4096);
    expect(await driver.ask("backup", join(disk.path, "backup.db"))).toMatchObject({ error: FULL });
    expect(sh("ls", disk.path)).toBe("ballast\n");
    rmSync(join(disk.path, "ballast"));
    expect(await driver.get("backup", join(disk.path, "backup.db"))).toMatchObject({
      sessions: 1,
      events: 51,
    });
    await driver.child.kill();
  });

  test("a record file that finds no room is one warning, and complete once there is some", async () => {
    using place = new Place("full");
    using disk = mountTmpfs(place.path("disk"), "size=1m");
    await using driver = new Driver({ env: place.env });
    await driver.get("open", place.path("home"), disk.path);
    const id = await driver.get("create", true);
    await driver.get("record", id, 0, 3, 2000);
    fillUp(disk.path, 0);
    const full = await driver.ask("record", id, 3, 10, 2000);
    expect(full).toMatchObject({ value: { failures: [] } });
    expect(full.warnings).toEqual([
      expect.stringMatching(/^No record file can be kept in .* safe in the store\.$/),
    ]);
    expect(numbersIn(disk.path, id)).toEqual([0, 1, 2]);
    rmSync(join(disk.path, "ballast"));
    await driver.get("record", id, 13, 1, 2000);
    expect(numbersIn(disk.path, id)).toEqual(Array.from({ length: 14 }, (_, n) => n));
    await driver.child.kill();
  });

  test("without a free inode recording goes on, opening says that the disk is full, and both recover", async () => {
    using place = new Place("inodes");
    using disk = mountTmpfs(place.path("disk"), "size=8m,nr_inodes=60");
    await using driver = new Driver({ env: place.env });
    const [home, workspace] = [join(disk.path, "home"), place.folder("disk", "workspace")];
    await driver.get("open", home, workspace);
    const id = await driver.get("create", true);
    takeInodes(disk.path);
    const recorded = await driver.ask("record", id, 0, 5, 100);
    expect(recorded).toMatchObject({
      value: { failures: [] },
      warnings: [expect.stringContaining("No record file")],
    });
    await driver.get("close");
    takeInodes(disk.path);
    const refused = await driver.ask("open", home, workspace);
    rmSync(join(disk.path, "inodes"), { recursive: true });
    await driver.get("open", home, workspace);
    await driver.get("load", id);
    await driver.get("record", id, 5, 1, 100);
    expect(await driver.get("numbers", id)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(numbersIn(workspace, id)).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await driver.get("verify")).problems).toEqual([]);
    await driver.child.kill();
    expect(refused).toMatchObject({ error: { code: "store_full" } });
  });
});

function isFull({ code }: { readonly code: string | null }): boolean {
  return code === "store_full";
}

async function recordAndClose(driver: Driver, home: string, workspace: string): Promise<string> {
  await driver.get("open", home, workspace);
  const id = await driver.get("create", false);
  await driver.get("record", id, 0, 3, 100);
  await driver.get("close");
  return id;
}

/** Takes all room but so many bytes. */
function fillUp(folder: string, leave: number): void {
  const ballast = join(folder, "ballast");
  sh("sh", "-c", `dd if=/dev/zero of=${ballast} bs=4k status=none 2>/dev/null || true`);
  sh("truncate", "-s", String(Math.max(0, statSync(ballast).size - leave)), ballast);
}

function takeInodes(folder: string): void {
  const taken = join(folder, "inodes");
  sh("mkdir", "-p", taken);
  try {
    for (;;) writeFileSync(join(taken, `${process.hrtime.bigint()}`), "");
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
  }
}

function numbersIn(workspace: string, id: string): number[] {
  const text = readFileSync(join(workspace, ".rollcall", "sessions", `${id}.json`), "utf8");
  return JSON.parse(text).toolCalls.map(({ params }: { params: { n: number } }) => params.n);
}
