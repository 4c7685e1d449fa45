import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { takeLock } from "./lock.ts";

/** A process of its own that tries for the lock at a word, says whether it got it, and holds it until it is killed. */
async function rival(path: string): Promise<Rival> {
  const script = `
    import { takeLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    process.stdin.once("data", () => {
      globalThis.lock = takeLock(${JSON.stringify(path)});
      console.log(globalThis.lock ? "mine" : "taken");
    });
    console.log("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout as NonNullable<ChildProcess["stdout"]>)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  await next();
  const closed = once(child, "close");
  return {
    tries: async () => {
      child.stdin?.write("go\n");
      return next();
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

interface Rival extends AsyncDisposable {
  tries(): Promise<string>;
}

describe("a lock", () => {
  test("is held by one process, and given back by whoever lets it go", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "lock");
    await using other = await rival(path);
    {
      using mine = takeLock(path);
      expect(mine).toBeDefined();
      expect(takeLock(path)).toBeUndefined();
      expect(await other.tries()).toBe("taken");
      const modes = readdirSync(folder.path).map((name) => statSync(join(folder.path, name)).mode & 0o777);
      expect(new Set(modes)).toEqual(new Set([0o600]));
    }
    using again = takeLock(path);
    expect(again).toBeDefined();
  });

  test("is taken back from a process that was killed", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "lock");
    const other = await rival(path);
    expect(await other.tries()).toBe("mine");
    expect(takeLock(path)).toBeUndefined();
    await other[Symbol.asyncDispose]();
    using mine = takeLock(path);
    expect(mine).toBeDefined();
  });

  test("goes to exactly one of twenty that come at once", async () => {
    using folder = tempFolder();
    await using rivals = new AsyncDisposableStack();
    const all = await Promise.all([...Array(20)].map(() => rival(join(folder.path, "lock"))));
    for (const one of all) rivals.use(one);
    const said = await Promise.all(all.map((one) => one.tries()));
    expect(said.toSorted()).toEqual(["mine", ...Array(19).fill("taken")]);
  });

  test("that cannot be made is an error and not somebody else's", () => {
    expect(() => takeLock("/nowhere/at/all/lock")).toThrow();
  });
});

test("a lock that cannot be taken is refused in words, never with a code of the database engine", () => {
  using folder = tempFolder();
  expect(() => takeLock(folder.path)).toThrow(expect.objectContaining({ code: "store_unreadable" }));
});
