import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findHolderFile } from "../../src/host/holder-files.ts";
import { atPrompt, dataOf, said, turn } from "./scripted.ts";
import { newLiveUser, until } from "./user.ts";

describe("resume", () => {
  test("goes on with the conversation under the same id, as a new generation", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user, "--name", "talk");
    await turn(user, id, "say before");
    const first = await user.get(id);
    await user.ok(["end", id]);
    const resumed = (await user.ok(["resume", "talk", "-d", "--json"])).json;
    expect(resumed).toMatchObject({ id, generation: 2, outcome: null, ended_at: null, exit_code: null });
    expect(await user.reach(id, "waiting_input")).toMatchObject({
      native_id: first.native_id,
      resume_count: 1,
    });
    expect((await dataOf(user, id)).screen).toContain("resumed, 1 turns");
    await turn(user, id, "say after");
    expect(await said(user, id, "assistant")).toEqual(["before", "after"]);
    expect(await user.get(id)).toMatchObject({ usage: { tokens_input: 200, tokens_output: 40 } });
    await user.ok(["end", id]);
    expect(await user.get(id)).toMatchObject({ state: "stopped", outcome: "success", generation: 2 });
  });

  test("gives it a text to go on with", async () => {
    await using user = newLiveUser();
    const answer = await user.ok(["start", "--wait", "--name", "job", "scripted", "say one"]);
    expect(answer.stdout).toBe("one\n");
    await user.ok(["resume", "job", "--prompt", "say two", "-d"]);
    expect(await user.reach("job", "stopped")).toMatchObject({ outcome: "success", generation: 2 });
    expect(await said(user, "job", "assistant")).toEqual(["one", "two"]);
  });

  test("is refused where it lives, was finalised, or has no conversation", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const refused = async (reference: string, code: string) => {
      const answer = await user.rollcall(["resume", reference, "-d", "--json"]);
      expect(answer).toMatchObject({ code: 4, error: { code } });
    };
    await refused(id, "conversation_held");
    await user.ok(["end", id]);
    await user.ok(["finalize", id, "completed"]);
    await refused(id, "finalized");
    const command = await user.start(["--", "true"]);
    await user.reach(command.id, "stopped");
    await refused(command.id, "not_offered");
    await refused(await user.create(), "not_carried");
    await until(() => user.launchFolders().length === 0, "the folders to go");
  });

  test("of ten at once starts one", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say before");
    await user.ok(["end", id]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => user.rollcall(["resume", id, "-d", "--json"])),
    );
    expect(answers.map(({ code }) => code).toSorted()).toEqual([0, ...Array<number>(9).fill(4)]);
    expect(await user.get(id)).toMatchObject({ generation: 2 });
    expect(user.launchFolders()).toHaveLength(1);
  });

  test("--if-resumable asks the verdict first", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say before");
    await user.ok(["end", id]);
    const refused = await user.rollcall(["resume", id, "--if-resumable", "-d", "--json"]);
    expect(refused).toMatchObject({ code: 4, error: { code: "not_resumable" } });
    await user.ok(["update", id, "--phase", "planning"]);
    await user.ok(["resume", id, "--if-resumable", "-d"]);
    expect(await user.reach(id, "waiting_input")).toMatchObject({ generation: 2 });
  });

  test("--all-lost brings back those whose process was lost, and no others", async () => {
    await using user = newLiveUser();
    const lost = await atPrompt(user);
    await turn(user, lost, "say before");
    const ended = await atPrompt(user);
    await user.ok(["end", ended]);
    await loseHolder(user, lost);
    await user.ok(["config", "set", "start.ready", "1s"]);
    const silent = await user.start(["scripted", "--", "--slow-start", "1000000"]);
    await user.reach(silent.id, "unknown");
    const resumed = (await user.ok(["resume", "--all-lost", "-d", "--json"])).json;
    expect(resumed).toEqual({ results: [expect.objectContaining({ id: lost })] });
    expect(await user.reach(lost, "waiting_input")).toMatchObject({ generation: 2 });
    expect(await user.get(ended)).toMatchObject({ state: "stopped", generation: 1 });
    expect(await user.get(silent.id)).toMatchObject({ state: "unknown", generation: 1 });
    expect((await user.ok(["resume", "--all-lost", "-d", "--json"])).json).toEqual({ results: [] });
  });

  test("--all-lost tells each, one that cannot be too, and exits with the worst", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say before");
    await loseHolder(user, id);
    const folder = join(user.folder, "gone");
    mkdirSync(folder);
    const other = await atPrompt(user, "--cwd", folder);
    await turn(user, other, "say before");
    await loseHolder(user, other);
    rmSync(folder, { recursive: true });
    const answer = await user.rollcall(["resume", "--all-lost", "-d", "--json"]);
    expect(answer.code).toBe(2);
    const { results } = answer.json as unknown as { results: object[] };
    expect(results).toHaveLength(2);
    expect(results).toContainEqual(expect.objectContaining({ id, generation: 2 }));
    const error = expect.objectContaining({ code: "bad_input" });
    expect(results).toContainEqual({ session_id: other, error });
  });

  test("of a session that crashed works as well", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say before");
    await user.ok(["send", id, "crash"]);
    await user.reach(id, "failed");
    await user.ok(["resume", id, "-d"]);
    expect(await user.reach(id, "waiting_input")).toMatchObject({ generation: 2, exit_signal: null });
  });
});

describe("fork", () => {
  test("begins a new session with the conversation so far, and leaves the first alone", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user, "--task", "t1");
    await turn(user, id, "say before");
    const first = await user.get(id);
    const fork = (await user.ok(["fork", id, "--name", "other", "-d", "--json"])).json;
    expect(fork).toMatchObject({ forked_from: id, generation: 1, name: "other", task_id: "t1" });
    expect(fork.id).not.toBe(id);
    await user.reach("other", "waiting_input");
    expect((await dataOf(user, "other")).screen).toContain("forked, 1 turns");
    expect((await user.ok(["doctor"])).stdout).not.toContain("Others can read");
    await turn(user, "other", "say aside");
    expect(await user.get(id)).toMatchObject({ seq: first.seq, state: "waiting_input" });
    expect((await user.get("other")).native_id).not.toBe(first.native_id);
    expect(await said(user, "other", "assistant")).toContain("aside");
  });

  test("of a finalised session works; of a command it does not", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say before");
    await user.ok(["end", id]);
    await user.ok(["finalize", id, "completed"]);
    const fork = (await user.ok(["fork", id, "-d", "--json"])).json;
    expect(await user.reach(fork.id, "waiting_input")).toMatchObject({ phase: "initializing" });
    const command = await user.start(["--", "sleep", "1000"]);
    expect(await user.rollcall(["fork", command.id, "-d"])).toMatchObject({ code: 4 });
  });
});

test("the verdict on a carried session says how to go on", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await user.ok(["update", id, "--phase", "planning"]);
  const verdict = async (reference = id) =>
    (await user.rollcall(["should-resume", reference, "--json"])).json;
  expect(await verdict()).toMatchObject({ resume: true, how: "send" });
  await user.ok(["send", id, "hang"]);
  await user.reach(id, "running");
  expect(await verdict()).toMatchObject({ resume: false, reason: "still_running" });
  await user.ok(["end", id]);
  expect(await verdict()).toMatchObject({ resume: true, how: "resume" });
  const command = await user.start(["--", "true"]);
  await user.reach(command.id, "stopped");
  await user.ok(["update", command.id, "--phase", "planning"]);
  expect(await verdict(command.id)).toMatchObject({ resume: false, reason: "no_native_id" });
});

/** Kills guard and holder, so that nobody writes an exit; what is left is found and ended by its marker. */
async function loseHolder(user: ReturnType<typeof newLiveUser>, id: string): Promise<void> {
  const { pid } = (await user.get(id)).process as { pid: number };
  const file = user
    .launchFolders()
    .map(findHolderFile)
    .find((found) => found?.agent.pid === pid);
  if (!file) throw new Error(`No holder wrote down process ${pid}.`);
  process.kill(file.guard.pid, "SIGKILL");
  process.kill(file.holder.pid, "SIGKILL");
  await user.reach(id, "unknown");
}
