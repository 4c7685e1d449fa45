import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { toWire } from "../../domain/wire.ts";
import { storePath } from "../../home/layout.ts";
import { identifyProcess } from "../../machine/process.ts";
import { launched, observe, PAUSE, said, starting } from "../../testing/carried.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { factsOf, holderOf, KeptConnection, keptLog } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { Pausing } from "./pausing.ts";

useFakeTime();

const PAUSED = () => observe(starting(), launched(), said("working"), PAUSE);

function pausingOf(home = "/nowhere") {
  const connection = new KeptConnection();
  const observed = new Recorder<string>();
  const session = { row: PAUSED(), failures: 0 };
  const pausing = new Pausing({
    ...factsOf({ folder: home }),
    ...keptLog(),
    ...holderOf({ connection }),
    places: { home },
    row: async () => session.row,
    observe: async ({ saw }) => {
      observed.add(saw);
      if (session.failures-- > 0) throw new Error("the disk is full");
      return { row: session.row, events: [], seq: 0 };
    },
  });
  return { pausing, session, observed, sent: connection.sent, [Symbol.dispose]: () => pausing.stop() };
}

test("a pause and a continue go to the holder", () => {
  using at = pausingOf();
  at.pausing.begin();
  at.pausing.continue();
  expect(at.sent.all).toEqual(["P", "K"]);
});

test("a session that goes on unrecorded is recorded 5 s later, and again until the store takes it", async () => {
  using at = pausingOf();
  at.session.failures = 1;
  at.pausing.continueUnrecorded();
  expect(at.sent.all).toEqual(["K"]);
  await pass(4999);
  expect(at.observed.all).toEqual([]);
  await pass(1);
  expect(at.observed.all).toEqual(["continue_asked"]);
  await pass(5000);
  expect([at.sent.all, at.observed.all]).toEqual([
    ["K", "K"],
    ["continue_asked", "continue_asked"],
  ]);
  await pass(60_000);
  expect(at.observed.all).toHaveLength(2);
});

test.each([
  ["paused again", (pausing: Pausing) => pausing.begin()],
  ["continued", (pausing: Pausing) => pausing.continue()],
  ["let go", (pausing: Pausing) => pausing.stop()],
])("a session that goes on unrecorded and is %s is not recorded as going on", async (_, change) => {
  using at = pausingOf();
  at.pausing.continueUnrecorded();
  change(at.pausing);
  await pass(5000);
  expect([at.observed.all, vi.getTimerCount()]).toEqual([[], 0]);
});

test("a paused tree that holds no lock of the store stays stopped", async () => {
  using at = pausingOf();
  at.pausing.begin();
  await at.pausing.holds();
  expect(at.sent.all).toEqual(["P"]);
});

/** A state folder whose store a process below this one, which stands for the guard, writes to. */
async function lockedHome() {
  const folder = tempFolder();
  const home = folder.path;
  mkdirSync(join(home, "run"), { recursive: true });
  const child = spawn(process.execPath, ["-e", HOLD_LOCK, storePath(home)], {
    cwd: resolve(import.meta.dirname, "../../.."),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  const [guard, member] = [process.pid, child.pid as number].map(identifyProcess);
  const file = { guard, holder: guard, agent: member, bootId: guard?.bootId };
  writeFileSync(join(home, "holder.json"), JSON.stringify(toWire(file)));
  return {
    home,
    release: async () => {
      child.stdin.write("\n");
      await once(child.stdout, "data");
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
      folder[Symbol.dispose]();
    },
  };
}

const HOLD_LOCK = `
  const db = new (require("better-sqlite3"))(process.argv[1]);
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
  process.stdout.write("held");
  process.stdin.once("data", () => (db.exec("COMMIT"), process.stdout.write("free")));
`;

test("a paused process that holds the lock of the store may finish, and is then stopped again", async () => {
  await using locked = await lockedHome();
  using at = pausingOf(locked.home);
  at.pausing.begin();
  const held = at.pausing.holds();
  await idle();
  await pass(100);
  expect(at.sent.all).toEqual(["P", "K"]);
  await locked.release();
  await pass(1);
  await held;
  expect(at.sent.all).toEqual(["P", "K", "P"]);
});

test("a paused process that does not give the lock back within a second is stopped again", async () => {
  await using locked = await lockedHome();
  using at = pausingOf(locked.home);
  at.pausing.begin();
  const held = at.pausing.holds();
  await pass(999);
  expect(at.sent.all).toEqual(["P", "K"]);
  await pass(1);
  await held;
  expect(at.sent.all).toEqual(["P", "K", "P"]);
});

test("a process that may finish is not stopped again where it was continued meanwhile", async () => {
  await using locked = await lockedHome();
  using at = pausingOf(locked.home);
  at.pausing.begin();
  const held = at.pausing.holds();
  at.pausing.continue();
  await pass(1);
  await held;
  expect(at.sent.all).toEqual(["P", "K", "K"]);
});

test("a process that may finish is not stopped again where the record says that it goes on", async () => {
  await using locked = await lockedHome();
  using at = pausingOf(locked.home);
  at.pausing.begin();
  const held = at.pausing.holds();
  at.session.row = observe(starting(), launched(), said("working"));
  await pass(1000);
  await held;
  expect(at.sent.all).toEqual(["P", "K"]);
});

test("a paused tree stays stopped where only a process outside of it holds the lock of the store", async () => {
  await using locked = await lockedHome();
  const stranger = spawn("sleep", ["600"], { stdio: "ignore" });
  const exited = once(stranger, "exit");
  try {
    await once(stranger, "spawn");
    const agent = identifyProcess(stranger.pid as number);
    const file = { guard: agent, holder: agent, agent, bootId: agent?.bootId };
    writeFileSync(join(locked.home, "holder.json"), JSON.stringify(toWire(file)));
    using at = pausingOf(locked.home);
    at.pausing.begin();
    await at.pausing.holds();
    expect(at.sent.all).toEqual(["P"]);
  } finally {
    stranger.kill("SIGKILL");
    await exited;
  }
});
