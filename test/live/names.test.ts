import { expect, test } from "vitest";
import type { Answer } from "../cli/rollcall.ts";
import { atPrompt } from "./scripted.ts";
import { type LiveUser, newLiveUser } from "./user.ts";

const SLEEP = ["--", "sleep", "1000"];

async function startNamed(user: LiveUser, name: string): Promise<string> {
  return (await user.start(["--name", name, ...SLEEP])).id;
}

function expectRefused(answer: Answer, owner: string): void {
  expect([answer.code, answer.error.code]).toEqual([4, "name_in_use"]);
  expect(answer.error.message).toContain(owner);
  expect(answer.error.hint).toContain("--name");
}

test("start refuses the name of a live session, makes no record, and takes it once that session has ended", async () => {
  await using user = newLiveUser();
  const first = await startNamed(user, "build");
  expectRefused(await user.rollcall(["start", "-d", "--json", "--name", "build", ...SLEEP]), first);
  expect((await user.ok(["list", "-q"])).stdout.trim()).toBe(first);
  await user.ok(["end", "build"]);
  const second = await startNamed(user, "build");
  expect((await user.get("build")).id).toBe(second);
});

test("of many starts with one name at the same time exactly one succeeds", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  const start = () => user.rollcall(["start", "-d", "--json", "--name", "one", ...SLEEP]);
  const answers = await Promise.all([start(), start(), start(), start()]);
  expect(answers.map(({ code }) => code).toSorted()).toEqual([0, 4, 4, 4]);
  expect((await user.ok(["list", "-q"])).stdout.trim().split("\n")).toHaveLength(1);
});

test("resume, fork and update refuse a name in use and change nothing", async () => {
  await using user = newLiveUser();
  const old = await atPrompt(user, "--name", "helper");
  await user.ok(["send", old, "say hi", "--wait"]);
  await user.ok(["end", old]);
  const owner = await startNamed(user, "helper");
  const other = await startNamed(user, "other");
  // The daemon's own files of live sessions change by themselves.
  const events = async () => (await user.ok(["events", "--json"])).stdout;
  const before = [await events(), user.launchFolders()];
  expectRefused(await user.rollcall(["resume", old, "--json"]), owner);
  expectRefused(await user.rollcall(["fork", old, "--name", "helper", "--json"]), owner);
  expectRefused(await user.rollcall(["update", "other", "--name", "helper", "--json"]), owner);
  expect([await events(), user.launchFolders()]).toEqual(before);
  expect((await user.ok(["fork", old, "--json"])).json.name).toBeNull();
  await user.ok(["update", owner, "--name", "owner"]);
  expect((await user.ok(["resume", old, "--json"])).json.name).toBe("helper");
  expect((await user.get(other)).name).toBe("other");
});

test("a session keeps its own name, and records and ended sessions may share one", async () => {
  await using user = newLiveUser();
  const live = await startNamed(user, "shared");
  await user.ok(["update", "shared", "--name", "shared", "--phase", "planning"]);
  const record = await user.create("--name", "shared");
  expect((await user.get("shared")).id).toBe(live);
  await user.ok(["end", live]);
  expect((await user.get("shared")).id).toBe(record);
  await user.ok(["update", live, "--name", "shared"]);
});
