import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Driver } from "./driver.ts";
import { makeImage, mountImage, mountTmpfs, whyNot } from "./mounts.ts";
import { Place } from "./place.ts";
import { report } from "./scale.ts";

const reasons = { tmpfs: whyNot("tmpfs"), image: whyNot("image") };
for (const reason of new Set(Object.values(reasons)))
  if (reason !== undefined) report(`read-only disk: not run: ${reason}`);

const READ_ONLY = { code: "store_readonly", message: expect.stringMatching(/read-only\.$/) };

describe.skipIf(reasons.tmpfs !== undefined)("a disk that is remounted read-only", () => {
  test("is named when a store on it is opened, and used again when it is writable", async () => {
    using place = new Place("readonly");
    using disk = mountTmpfs(place.path("disk"), "size=8m");
    await using driver = new Driver({ env: place.env });
    const [home, workspace] = [join(disk.path, "home"), place.folder("workspace")];
    await driver.get("open", home, workspace);
    const id = await driver.get("create", true);
    await driver.get("record", id, 0, 3, 100);
    // The kernel makes nothing read-only that someone has open for writing.
    await driver.get("close");
    disk.remount("ro");
    const refused = await driver.ask("open", home, workspace);
    disk.remount("rw");
    await driver.get("open", home, workspace);
    await driver.get("load", id);
    await driver.get("record", id, 3, 2, 100);
    expect(await driver.get("numbers", id)).toEqual([0, 1, 2, 3, 4]);
    expect((await driver.get("verify")).problems).toEqual([]);
    await driver.child.kill();
    expect(refused).toMatchObject({ error: READ_ONLY });
  });

  test("can still be read after a crash, and is written by the same process when it is writable", async () => {
    using place = new Place("readonly");
    using disk = mountTmpfs(place.path("disk"), "size=8m");
    const [home, workspace] = [join(disk.path, "home"), place.folder("workspace")];
    const writer = new Driver({ env: place.env });
    await writer.get("open", home, workspace);
    const id = await writer.get("create", false);
    await writer.get("record", id, 0, 3, 100);
    await writer.child.kill();
    disk.remount("ro");
    await using driver = new Driver({ env: place.env });
    await driver.get("open", home, workspace);
    await driver.get("load", id);
    expect(await driver.get("numbers", id)).toEqual([0, 1, 2]);
    expect((await driver.get("record", id, 3, 1, 100)).failures).toMatchObject([READ_ONLY]);
    disk.remount("rw");
    expect(await driver.get("record", id, 3, 1, 100)).toEqual({ acknowledged: [3], failures: [] });
    expect((await driver.get("verify")).problems).toEqual([]);
    await driver.child.kill();
  });
});

test.skipIf(reasons.image !== undefined)(
  "a file system that fails in the middle of work refuses writes in words, is read on, and has all when mounted anew",
  async () => {
    using place = new Place("abort");
    const [image, home] = [place.path("image"), place.path("disk", "home")];
    const workspace = place.folder("workspace");
    makeImage(image, 32 << 20);
    let id = "";
    {
      using disk = mountImage(image, place.path("disk"));
      await using driver = new Driver({ env: place.env });
      await driver.get("open", home, workspace);
      id = await driver.get("create", true);
      await driver.get("record", id, 0, 5, 100);
      // ext4's own way to act as if it had met an error: everything is read-only from here on.
      disk.remount("abort");
      const { failures } = await driver.get("burst", id, 5, 4, 100);
      for (const failure of failures)
        expect(failure).toMatchObject({ code: expect.stringMatching(/^store_(failed|readonly)$/) });
      expect(failures).toHaveLength(4);
      expect((await driver.get("record", id, 9, 1, 100)).failures).toMatchObject([READ_ONLY]);
      expect(await driver.get("numbers", id)).toEqual([0, 1, 2, 3, 4]);
      await driver.child.kill();
    }
    using _ = mountImage(image, place.path("disk"));
    await using driver = new Driver({ env: place.env });
    await driver.get("open", home, workspace);
    await driver.get("load", id);
    await driver.get("record", id, 5, 1, 100);
    expect(await driver.get("numbers", id)).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await driver.get("verify")).problems).toEqual([]);
    await driver.child.kill();
  },
);
