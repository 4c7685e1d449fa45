import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { LAUNCHER, newUser, type Shown, type User } from "./rollcall.ts";

const EVENT_KEYS = ["at", "body", "channel", "id", "kind", "seq", "session_id"];

test("events prints one JSON object on each line, in the order of the session's seq", async () => {
  using user = newUser();
  const id = await user.create();
  await user.ok(["update", id, "--phase", "planning"]);
  await user.ok(["finalize", id, "completed"]);
  const events = lines((await user.ok(["events", id, "--json"])).stdout);
  expect(events.map(({ seq, kind }) => [seq, kind])).toEqual([
    [1, "created"],
    [2, "updated"],
    [3, "finalized"],
  ]);
  expect(Object.keys(events[0] ?? {}).sort()).toEqual(EVENT_KEYS);
  expect(events[1]).toMatchObject({ session_id: id, channel: "cli", body: { phase: "planning" } });
});

test("without an id the feed has all sessions in commit order, and goes on behind a cursor", async () => {
  using user = newUser();
  for (const id of ["a", "b", "a2"]) await user.create("--id", id);
  await user.ok(["delete", "b"]);
  const all = lines((await user.ok(["events", "--json"])).stdout);
  expect(all.map(({ session_id, kind }) => [session_id, kind])).toEqual([
    ["a", "created"],
    ["a2", "created"],
    ["b", "deleted"],
  ]);
  expect(Object.keys(all[0] ?? {}).sort()).toEqual([...EVENT_KEYS, "cursor"].sort());
  const rest = lines((await user.ok(["events", "--json", "--after", String(all[0]?.cursor)])).stdout);
  expect(rest).toEqual(all.slice(1));
  expect(lines((await user.ok(["events", "--json", "--limit", "1"])).stdout)).toEqual(all.slice(0, 1));
});

test("events of one session go on after a seq", async () => {
  using user = newUser();
  const id = await user.create();
  for (const name of ["one", "two", "three"]) await user.ok(["update", id, "--name", name]);
  const rest = lines((await user.ok(["events", id, "--json", "--after", "2"])).stdout);
  expect(rest.map(({ seq }) => seq)).toEqual([3, 4]);
  expect(
    lines((await user.ok(["events", id, "--json", "--after", "0", "--limit", "2"])).stdout),
  ).toHaveLength(2);
});

test("events -f shows the commits of other processes as they happen, and Ctrl-C ends it with exit 0", async () => {
  using user = newUser();
  await user.create("--id", "before");
  await using follower = follow(user, []);
  let isFollowing = false;
  const first = follower.next().finally(() => (isFollowing = true));
  // Records are made until it is seen to follow: only then nothing can be missed.
  for (let number = 1; !isFollowing; number++) await user.create("--id", `while-${number}`);
  await user.ok(["finalize", "before", "failed"]);
  expect(await first).toMatchObject({ session_id: expect.stringMatching(/^while-/), kind: "created" });
  expect(await follower.nextOf("before")).toMatchObject({ kind: "finalized", seq: 2 });
  expect(await follower.interrupt("SIGINT")).toEqual({ code: 0, signal: null, stderr: "" });
});

test("events ID -f begins with what the session has and leaves the others out", async () => {
  using user = newUser();
  await user.create("--id", "mine");
  await using follower = follow(user, ["mine"]);
  expect(await follower.next()).toMatchObject({ session_id: "mine", kind: "created", seq: 1 });
  await user.create("--id", "other");
  await user.ok(["update", "mine", "--phase", "planning"]);
  await user.ok(["delete", "mine"]);
  expect(await follower.next()).toMatchObject({ session_id: "mine", kind: "updated", seq: 2 });
  expect(await follower.next()).toMatchObject({ session_id: "mine", kind: "deleted" });
  expect(await follower.interrupt("SIGTERM")).toEqual({ code: 0, signal: null, stderr: "" });
});

test("events -f goes on behind a cursor that was seen before, and stops at its limit", async () => {
  using user = newUser();
  for (const id of ["a", "b", "c"]) await user.create("--id", id);
  const [first] = lines((await user.ok(["events", "--json"])).stdout);
  const given = await user.ok(["events", "-f", "--json", "--after", String(first?.cursor), "--limit", "2"]);
  expect(lines(given.stdout).map(({ session_id }) => session_id)).toEqual(["b", "c"]);
});

test("for people each event is one line, and events of nobody exit 3", async () => {
  using user = newUser();
  const id = await user.create("--purpose", "two\nlines");
  const { stdout } = await user.ok(["events", id]);
  expect(stdout.trim().split("\n")).toHaveLength(1);
  expect(stdout).toContain(`${id.slice(-6)}     1  created`);
  expect((await user.rollcall(["events", "nobody", "--json"])).error.code).toBe("session_not_found");
});

test("for people an event that leads to a state says which, and why", async () => {
  using user = newUser();
  const id = await user.create();
  await user.ok(["update", id, "--status", "completed"]);
  const { stdout } = await user.ok(["events", id]);
  expect(stdout).toMatch(/ 1 {2}created {10}running {2}declared: create {2}\{/);
  expect(stdout).toMatch(
    / 2 {2}status_declared {2}stopped {2}declared: status \(completed\) {2}\{"outcome":"success"/,
  );
});

function lines(text: string): Shown[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Shown);
}

interface Follower extends AsyncDisposable {
  /** Its next line; waits for it. */
  next(): Promise<Shown>;
  /** Its next line about one session. */
  nextOf(id: string): Promise<Shown>;
  interrupt(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null; stderr: string }>;
}

function follow(user: User, args: readonly string[]): Follower {
  const child = spawn(process.execPath, [LAUNCHER, "events", ...args, "-f", "--json"], {
    cwd: user.workspace,
    env: user.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const iterator = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const next = async () => JSON.parse((await iterator.next()).value as string) as Shown;
  return {
    next,
    nextOf: async (id) => {
      for (;;) {
        const event = await next();
        if (event.session_id === id) return event;
      }
    },
    interrupt: async (name) => {
      child.kill(name);
      const [code, signal] = await closed;
      return { code, signal, stderr };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
