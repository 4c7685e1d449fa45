import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { idle } from "../../testing/session/fake-time.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { FirstUse } from "./first-use.ts";

/** Programs that say when they were started, and come up when the test says so. */
function programs() {
  const firstUse = new FirstUse();
  const begun: string[] = [];
  const up = new Map<string, () => void>();
  const start = (name: string, folder: string) =>
    firstUse.start(
      { folder, name: String.raw`^agent\.db$` },
      async () => {
        begun.push(name);
        return name;
      },
      async () => new Promise((resolve) => void up.set(name, resolve)),
    );
  return { firstUse, begun, start, comeUp: (name: string) => up.get(name)?.() };
}

test("a program that makes its database starts alone until it is up", async () => {
  using folder = tempFolder();
  const { begun, start, comeUp } = programs();
  const all = ["a", "b", "c"].map((name) => start(name, folder.path));
  await all[0];
  // It is there long before it is whole.
  writeFileSync(join(folder.path, "agent.db"), "");
  await idle();
  expect(begun).toEqual(["a"]);
  comeUp("a");
  expect(await Promise.all(all)).toEqual(["a", "b", "c"]);
});

test("another one makes the database where the first one failed to", async () => {
  using folder = tempFolder();
  const { begun, start, comeUp } = programs();
  const all = ["a", "b", "c"].map((name) => start(name, folder.path));
  await all[0];
  comeUp("a");
  expect(await all[1]).toBe("b");
  await idle();
  expect(begun).toEqual(["a", "b"]);
  comeUp("b");
  expect(await all[2]).toBe("c");
});

test("a start that fails lets the next one go", async () => {
  using folder = tempFolder();
  const { firstUse, start } = programs();
  const failing = firstUse.start(
    { folder: folder.path, name: String.raw`^agent\.db$` },
    async () => Promise.reject(new Error("no program")),
    async () => {},
  );
  const next = start("b", folder.path);
  await expect(failing).rejects.toThrow("no program");
  expect(await next).toBe("b");
});

test("programs whose database is there, or in another folder, start at once", async () => {
  using folder = tempFolder();
  const [made, missing] = [join(folder.path, "made"), join(folder.path, "missing")];
  mkdirSync(made);
  writeFileSync(join(made, "agent.db"), "");
  const { begun, start } = programs();
  await Promise.all([start("a", made), start("b", made), start("c", missing)]);
  expect(begun).toEqual(["a", "b", "c"]);
});

test("a program without a database starts at once", async () => {
  const { firstUse } = programs();
  const never = async () => new Promise<void>(() => {});
  await firstUse.start(undefined, async () => "a", never);
  expect(await firstUse.start(undefined, async () => "b", never)).toBe("b");
});
