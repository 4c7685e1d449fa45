import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { type LiveUser, newLiveUser, processesOf, until } from "./user.ts";

const NAMES = ["demo-chat", "demo-clock", "demo-deploy", "demo-planner", "demo-tests", "demo-writer"];

test("the demo has one that works, asks, wonders, waits, runs and fails", async () => {
  await using user = newLiveUser();
  const said = (await user.ok(["demo"])).stdout;
  expect(said).toMatch(/^Started 6 sessions:\n/);
  for (const name of NAMES) expect(said).toContain(name);
  await fleetStands(user);
  for (const name of ["demo-writer", "demo-clock"])
    expect(await user.get(name)).toMatchObject({ state: "running", waiting: null });
  expect(await user.reach("demo-tests", "failed")).toMatchObject({ exit_code: 1, outcome: "failure" });
});

test("every command that the demo names works", async () => {
  await using user = newLiveUser();
  const { stdout } = await user.ok(["demo"]);
  await fleetStands(user);
  const commands = stdout.split("\n").flatMap((line) => / {2}rollcall (?!attach)(.*)$/.exec(line)?.[1] ?? []);
  expect(commands).toHaveLength(5);
  for (const command of commands) await user.ok(wordsOf(command));
});

test("starting it again starts only what is missing", async () => {
  await using user = newLiveUser();
  await user.ok(["demo"]);
  expect((await user.ok(["demo"])).stdout).toMatch(/^The demo runs already:\n/);
  await user.ok(["end", "demo-clock"]);
  const { json } = await user.ok(["demo", "--json"]);
  expect(json.sessions).toMatchObject([{ name: "demo-clock", agent_type: "unknown", state: "running" }]);
});

test("--end ends the demo and nothing else", async () => {
  await using user = newLiveUser();
  await user.ok(["demo"]);
  await user.start(["--name", "demo-mine", "--", "sleep", "1000"]);
  const { json } = await user.ok(["demo", "--end", "--json"]);
  const results = json.results as readonly { session: Shown; remaining: readonly number[] }[];
  expect(results.map(({ session }) => session.name).sort()).toEqual(NAMES);
  expect(results.every(({ session, remaining }) => session.ended_at !== null && remaining.length === 0)).toBe(
    true,
  );
  expect(await liveNames(user)).toEqual(["demo-mine"]);
  expect((await user.ok(["demo", "--end"])).stdout).toBe("The demo does not run.\n");
});

test("ending everything while the fleet starts leaves nothing of it", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  const starting = user.rollcall(["demo"]);
  await until(async () => (await liveNames(user)).length > 0, "the first session");
  await user.ok(["down", "--end-all"]);
  await starting;
  expect(processesOf(user.folder)).toEqual([]);
  expect(await liveNames(user)).toEqual([]);
});

test("a state folder may be named from where one stands", async () => {
  await using user = newLiveUser();
  const relative = { cwd: dirname(user.state), env: { ROLLCALL_HOME: basename(user.state) } };
  await user.ok(["demo"], relative);
  expect(await liveNames(user)).toEqual(NAMES);
});

const ASKS = { "demo-deploy": "permission", "demo-planner": "question", "demo-chat": "prompt" };

/** Each has taken its prompt and come to what it shows. */
async function fleetStands(user: LiveUser): Promise<void> {
  const isThere = async ([name, what]: [string, string]) => {
    const { waiting } = (await user.get(name)) as unknown as { waiting: { for: string } | null };
    return waiting?.for === what;
  };
  for (const ask of Object.entries(ASKS)) await until(() => isThere(ask), `${ask.join(" at its ")}`);
}

async function liveNames(user: LiveUser): Promise<unknown[]> {
  const { json } = await user.ok(["list", "--active-only", "--json"]);
  return json.sessions.map(({ name }) => name).sort();
}

/** As a shell would split it. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}
