import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { newUser } from "../cli/rollcall.ts";
import { atPrompt } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

interface Seen {
  readonly state: unknown;
  readonly stale: unknown;
}

/** Each way to see the state of one session, with whether it is said to be old. */
const LOOKS: Readonly<Record<string, (user: LiveUser, id: string) => Promise<Seen>>> = {
  roll: async (user, id) => listed(user, id, ["--all", "--json"]),
  list: async (user, id) => listed(user, id, ["list", "--json"]),
  get: async (user, id) => {
    const { state, stale } = (await user.ok(["get", id, "--json"])).json;
    return { state, stale };
  },
};

async function listed(user: LiveUser, id: string, args: readonly string[]): Promise<Seen> {
  const { sessions, stale } = (await user.ok(args)).json;
  return { state: sessions.find((session) => session.id === id)?.state, stale };
}

for (const [name, look] of Object.entries(LOOKS))
  test(`${name} starts a daemon after a crash and shows what became of a session meanwhile`, async () => {
    await using user = newLiveUser();
    const { id, process: agent } = await user.start(["--", "sleep", "1000"]);
    await user.killDaemon();
    process.kill((agent as { readonly pid: number }).pid, "SIGKILL");
    const seen = await look(user, id);
    // Where the machine is too slow for it, it says so.
    if (seen.stale !== true) expect(seen).toEqual({ state: "failed", stale: undefined });
    await until(async () => (await look(user, id)).state === "failed", "its end to be seen");
    expect(await user.daemonPid()).toBeDefined();
  });

test("should-resume starts a daemon after a crash and answers by what became of the session", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await user.ok(["update", id, "--phase", "planning"]);
  const { process: agent } = await user.get(id);
  await user.killDaemon();
  process.kill((agent as { readonly pid: number }).pid, "SIGKILL");
  await until(async () => {
    const { how, stale } = (await user.rollcall(["should-resume", id, "--json"])).json;
    return how === "resume" && stale === undefined;
  }, "the verdict of an ended session");
});

test("next starts a daemon after a crash and leads to nobody who left meanwhile", async () => {
  await using user = newLiveUser();
  const { process: agent } = await user.get(await atPrompt(user));
  await user.killDaemon();
  process.kill((agent as { readonly pid: number }).pid, "SIGKILL");
  const first = await user.rollcall(["next", "--json"]);
  // Where the machine is too slow for it, it says so.
  if (first.code === 0) expect(first.json.stale).toBe(true);
  await until(async () => (await user.rollcall(["next", "--json"])).code === 4, "nobody to wait");
  expect(await user.daemonPid()).toBeDefined();
});

test("inside a session, where no daemon may be started, states are said to be old in text and JSON", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  await user.killDaemon();
  const inside = { env: { ROLLCALL_SESSION_ID: id } };
  for (const args of [["list"], ["get", id], [], ["should-resume", id]]) {
    const text = await user.rollcall(args, inside);
    expect(text.stderr, args.join(" ")).toMatch(/^rollcall: States may be old\. .*rollcall up.*\n$/);
    const json = await user.rollcall([...args, "--json"], inside);
    expect([json.json.stale, json.stderr], args.join(" ")).toEqual([true, ""]);
    expect([text.code, text.stdout === ""]).toEqual([json.code, false]);
  }
  expect(await user.daemonPid()).toBeUndefined();
});

test("hooks start no daemon", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  await user.killDaemon();
  const input = JSON.stringify({ agent_name: "a", task_id: "t", agent_id: id });
  await user.ok(["hook", "pre-delegate"], { input });
  await user.ok(["hook", "subagent-stop"], { input });
  expect(await user.daemonPid()).toBeUndefined();
});

test("status and down create nothing where nothing is", async () => {
  using user = newUser();
  for (const args of [["status"], ["status", "--short"], ["status", "--json"], ["down"]]) await user.ok(args);
  expect((await user.ok(["status", "--short"])).stdout).toBe("0 live, 0 waiting\n");
  expect(existsSync(user.state)).toBe(false);
});
