import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { addImportRoots } from "../../home/import-roots.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { prompt } from "../../testing/session/outside-watch-place.ts";
import { keptLog } from "../../testing/session/ports.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import type { Services } from "../services.ts";
import { ImportFollow, type ImportStatus } from "./import-follow.ts";

useFakeTime();

/** As it is built: each start of the sources would strip their types first. */
const IMPORTER = join(import.meta.dirname, "..", "..", "..", "dist", "daemon", "importer.cjs");
const A = "aaaaaaaa-1111-4111-8111-111111111111";
const B = "bbbbbbbb-2222-4222-8222-222222222222";
const INTERVAL_MS = 600_000;

/** A daemon's follower of the histories below one folder of Claude Code, with the process that imports. */
async function place({
  isOn = true,
  hasRoots = true,
  program = IMPORTER,
  followed = [] as readonly string[],
} = {}) {
  const world = tempWorld();
  const root = join(world.home, "..", "projects");
  mkdirSync(root);
  mkdirSync(world.home, { recursive: true });
  const settings = { "import.follow": isOn, "import.interval": "10m" };
  writeFileSync(join(world.home, "config.json"), JSON.stringify(settings));
  if (hasRoots) addImportRoots(world.home, { claude: [root] });
  const rollcall = await world.open();
  const { log, messages } = keptLog();
  const services = {
    context: rollcall.context,
    places: { home: world.home },
    log,
    programs: { importer: program },
  } as unknown as Services;
  const follow = new ImportFollow(services, () => followed);
  const path = (nativeId: string) => join(root, "-w", `${nativeId}.jsonl`);
  const imported = () => messages.filter((message) => message === "imported histories").length;
  return {
    ...{ follow, messages, root, path, home: world.home },
    write: (nativeId: string, text: string) => {
      mkdirSync(dirname(path(nativeId)), { recursive: true });
      prompt(path(nativeId), text);
    },
    /** Resolves once the status is like this. */
    reached: async (isReached: (status: ImportStatus) => boolean) => {
      while (!isReached(follow.status)) await nextTurn();
    },
    imported,
    [Symbol.asyncDispose]: async () => {
      await follow.end();
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}

test("a history that is there, grows, or is new is in the record after a look, without another import", async () => {
  await using at = await place();
  at.write(A, "one");
  at.follow.begin();
  await pass(0);
  await at.reached(({ imported }) => imported === 1);
  expect(at.follow.status).toMatchObject({
    isFollowing: true,
    found: 1,
    failed: [],
    error: null,
    updated: 0,
  });
  at.write(A, "two");
  at.write(B, "one");
  at.follow.lookSoon();
  await pass(300);
  await at.reached(({ updated }) => updated === 1);
  expect(at.follow.status).toMatchObject({ imported: 2, found: 2 });
});

test("a look follows 300 ms after the first of several changes", async () => {
  await using at = await place();
  at.follow.begin();
  await pass(0);
  await at.reached(({ lastAt }) => lastAt !== null);
  await idle();
  const { lastAt } = at.follow.status;
  at.write(A, "one");
  at.follow.lookSoon();
  await pass(299);
  await idle();
  expect(at.follow.status.lastAt).toBe(lastAt);
  await pass(1);
  await at.reached(({ imported }) => imported === 1);
});

test("a change during a look is looked at soon after it", async () => {
  await using at = await place();
  at.write(A, "one");
  at.follow.begin();
  await pass(0);
  at.follow.lookSoon();
  await at.reached(({ imported }) => imported === 1);
  await idle();
  at.write(B, "one");
  await pass(300);
  await at.reached(({ imported }) => imported === 2);
});

test("without a change there is a look after each interval, and a log of what it imported alone", async () => {
  await using at = await place();
  at.follow.begin();
  await pass(0);
  await at.reached(({ lastAt }) => lastAt !== null);
  await idle();
  expect(at.imported()).toBe(0);
  at.write(A, "one");
  await pass(INTERVAL_MS - 1);
  await idle();
  expect(at.follow.status.imported).toBe(0);
  await pass(1);
  await at.reached(({ imported }) => imported === 1);
  expect(at.imported()).toBe(1);
});

test("a history that the daemon follows by another way is not imported beside it", async () => {
  await using at = await place({ followed: [A] });
  at.write(A, "one");
  at.write(B, "one");
  at.follow.begin();
  await pass(0);
  await at.reached(({ imported }) => imported === 1);
  expect(at.follow.status).toMatchObject({ found: 2, imported: 1 });
});

test.each([
  ["before the first import", { hasRoots: false }],
  ["with import.follow off", { isOn: false }],
])("nothing is looked for %s", async (_, given) => {
  await using at = await place(given);
  at.write(A, "one");
  at.follow.begin();
  await pass(INTERVAL_MS);
  await idle();
  expect(at.follow.status).toMatchObject({ isFollowing: false, lastAt: null, imported: 0 });
  expect(at.follow.covers("claude", at.path(A))).toBe(false);
});

test("a history is followed where its path is a root or below one, of its own agent", async () => {
  await using at = await place();
  const covers = (path: string, agent = "claude") => at.follow.covers(agent, path);
  expect([covers(at.path(A)), covers(at.root)]).toEqual([true, true]);
  expect([covers(`${at.root}-other/a.jsonl`), covers(at.path(A), "codex")]).toEqual([false, false]);
});

test("a look that fails says why, once for each reason, and the next one goes on", async () => {
  await using at = await place({ program: "/nowhere/importer.js" });
  const failures = () => at.messages.filter((message) => message === "histories were not imported").length;
  at.follow.begin();
  await pass(0);
  await at.reached(({ error }) => error !== null);
  expect(at.follow.status.error).toMatch(/importer\.js/);
  const { lastAt } = at.follow.status;
  await idle();
  await pass(INTERVAL_MS);
  await at.reached((status) => status.lastAt !== lastAt);
  expect(failures()).toBe(1);
});

test("an importer that crashes fails its look alone, and the next look begins with another one", async () => {
  using folder = tempFolder();
  const crash = join(folder.path, "crash");
  writeFileSync(crash, "");
  const program = join(folder.path, "importer.mjs");
  writeFileSync(
    program,
    `import { existsSync, rmSync } from "node:fs";
     if (existsSync(${JSON.stringify(crash)})) {
       rmSync(${JSON.stringify(crash)});
       process.on("message", () => process.kill(process.pid, "SIGTRAP"));
     } else await import(${JSON.stringify(IMPORTER)});`,
  );
  await using at = await place({ program });
  at.write(A, "one");
  at.follow.begin();
  await pass(0);
  await at.reached(({ error }) => error !== null);
  expect(at.follow.status.error).toMatch(/SIGTRAP/);
  await idle();
  await pass(INTERVAL_MS);
  await at.reached(({ imported }) => imported === 1);
  expect(at.follow.status.error).toBeNull();
});

test("nothing is looked for once the daemon leaves", async () => {
  await using at = await place();
  await at.follow.end();
  at.write(A, "one");
  at.follow.begin();
  at.follow.lookSoon();
  await pass(INTERVAL_MS);
  await idle();
  expect(at.follow.status.lastAt).toBeNull();
});

test("histories of which none is left are found no more", async () => {
  await using at = await place();
  at.write(A, "one");
  at.follow.begin();
  await pass(0);
  await at.reached(({ found }) => found === 1);
  await idle();
  rmSync(at.path(A));
  at.follow.lookSoon();
  await pass(300);
  await at.reached(({ found }) => found === 0);
  expect(at.follow.status).toMatchObject({ imported: 1, failed: [] });
});
