import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ChildOptions } from "./child.ts";
import { Driver } from "./driver.ts";
import { Place } from "./place.ts";
import { report } from "./scale.ts";

const NOBODY = 65534;
const reason = process.getuid?.() === 0 ? undefined : "only root may act as another user (run it as root)";
if (reason !== undefined) report(`another user: not run: ${reason}`);

describe.skipIf(reason !== undefined)("another user of the machine", () => {
  test("is refused at a store folder that is closed to others", async () => {
    using place = new Place("user");
    await makeStore(place, "home");
    await using driver = new Driver(asNobody(place));
    expect(await driver.ask("open", place.path("home"), place.root)).toMatchObject({
      error: { code: expect.stringMatching(/^store_(wrong_owner|unreadable)$/), message: ONE_SENTENCE },
    });
    await driver.child.kill();
  });

  test("is refused at a database that others may read, and changes nothing about it", async () => {
    using place = new Place("user");
    await makeStore(place, "home");
    const path = join(place.path("home"), "rollcall.db");
    chmodSync(place.path("home"), 0o755);
    chmodSync(path, 0o644);
    const before = readFileSync(path);
    const names = readdirSync(place.path("home"));
    await using driver = new Driver(asNobody(place));
    expect(await driver.ask("open", place.path("home"), place.root)).toMatchObject({
      error: {
        code: "store_wrong_owner",
        message: ONE_SENTENCE,
        hint: expect.stringContaining("ROLLCALL_HOME"),
      },
    });
    await driver.child.kill();
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(place.path("home"))).toEqual(names);
  });

  test("is refused at a database of someone else in a folder of its own", async () => {
    using place = new Place("user");
    await makeStore(place, "home");
    chownSync(place.path("home"), NOBODY, NOBODY);
    chmodSync(join(place.path("home"), "rollcall.db"), 0o666);
    await using driver = new Driver(asNobody(place));
    expect(await driver.ask("open", place.path("home"), place.root)).toMatchObject({
      error: { code: "store_wrong_owner", message: ONE_SENTENCE },
    });
    await driver.child.kill();
  });

  test("cannot make a store where it may not write, and is told so", async () => {
    using place = new Place("user");
    mkdirSync(place.path("closed"), { mode: 0o755 });
    await using driver = new Driver(asNobody(place));
    expect(await driver.ask("open", join(place.path("closed"), "home"), place.root)).toMatchObject({
      error: { code: expect.stringMatching(/^store_(unreadable|readonly)$/), message: ONE_SENTENCE },
    });
    await driver.child.kill();
  });

  test("has a store of its own like everyone", async () => {
    using place = new Place("user");
    const user = asNobody(place);
    await using driver = new Driver(user);
    await use(driver, join(user.env.HOME as string, "state"));
    await driver.child.kill();
  });
});

test("under a state folder every file is 0600 and every folder 0700, whatever the umask", async () => {
  using place = new Place("modes");
  const before = process.umask(0);
  try {
    await using driver = new Driver({ env: place.env });
    await use(driver, place.path("home"));
    expect(modesUnder(place.path("home"))).toEqual(
      new Map([
        ["file", new Set([0o600])],
        ["folder", new Set([0o700])],
      ]),
    );
    await driver.get("close");
    expect(modesUnder(place.path("home"))).toEqual(
      new Map([
        ["file", new Set([0o600])],
        ["folder", new Set([0o700])],
      ]),
    );
    await driver.child.kill();
  } finally {
    process.umask(before);
  }
});

test("a backup is closed to others from its first byte on", async () => {
  using place = new Place("modes");
  const before = process.umask(0o022);
  try {
    await using driver = new Driver({ env: place.env });
    await driver.get("open", place.path("home"), place.folder("workspace"));
    const id = await driver.get("create", false);
    for (let n = 0; n < 20; n++) await driver.get("burst", id, n * 200, 200, 2000);
    const folder = place.folder("backups");
    const done = driver.get("backup", join(folder, "backup.db"));
    let isDone = false;
    void done.finally(() => {
      isDone = true;
    });
    const seen = new Set<string>();
    while (!isDone) {
      for (const name of readdirSync(folder)) {
        const mode = statSync(join(folder, name), { throwIfNoEntry: false })?.mode;
        if (mode !== undefined) seen.add((mode & 0o777).toString(8));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    await driver.child.kill();
    expect([...seen]).toEqual(["600"]);
  } finally {
    process.umask(before);
  }
});

const ONE_SENTENCE = expect.stringMatching(/^[^\n]+\.$/);

async function makeStore(place: Place, name: string): Promise<void> {
  chmodSync(place.root, 0o755);
  await using driver = new Driver({ env: place.env });
  await use(driver, place.path(name));
  await driver.get("close");
  await driver.child.kill();
}

async function use(driver: Driver, home: string): Promise<void> {
  await driver.get("open", home, home);
  const id = await driver.get("create", true);
  await driver.get("record", id, 0, 3, 100);
  await driver.get("readAll");
  expect((await driver.get("verify")).problems).toEqual([]);
  mkdirSync(join(home, "backups"), { mode: 0o700, recursive: true });
  chownSync(join(home, "backups"), statSync(home).uid, statSync(home).gid);
  await driver.get("backup", join(home, "backups", "one.db"));
}

/** A process of another user, with a copy of the programs that it may read. */
function asNobody(place: Place): ChildOptions {
  const main = join(import.meta.dirname, "..", "..");
  const copy = place.folder("copy");
  chmodSync(place.root, 0o755);
  for (const name of ["src", "package.json", "test/faults/workers", ...packagesOf(main, "better-sqlite3")])
    cpSync(join(main, name), join(copy, name), { recursive: true, dereference: true });
  cpSync(process.execPath, join(copy, "node"));
  const home = place.folder("nobody");
  chownSync(home, NOBODY, NOBODY);
  return {
    env: { ...place.env, HOME: home },
    uid: NOBODY,
    workers: join(copy, "test", "faults", "workers"),
    node: join(copy, "node"),
  };
}

/** The folder of a package and of everything it needs. */
function packagesOf(main: string, name: string): string[] {
  const folder = join("node_modules", name);
  const { dependencies = {} } = JSON.parse(readFileSync(join(main, folder, "package.json"), "utf8"));
  return [folder, ...Object.keys(dependencies).flatMap((needed) => packagesOf(main, needed))];
}

function modesUnder(folder: string): Map<string, Set<number>> {
  const modes = new Map([
    ["file", new Set<number>()],
    ["folder", new Set([statSync(folder).mode & 0o777])],
  ]);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    // The store's own record file lies in a workspace, whose `.gitignore` git itself has to read.
    if (entry.name === ".gitignore") continue;
    modes
      .get(entry.isDirectory() ? "folder" : "file")
      ?.add(statSync(join(entry.parentPath, entry.name)).mode & 0o777);
  }
  return modes;
}
