import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { expect, test } from "vitest";
import { asking, atPrompt, turn } from "./scripted.ts";
import { newLiveUser, processesOf, until } from "./user.ts";

/** The states of the processes in the tree of a session, without its holder. */
function statesOfTree(id: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(`ROLLCALL_SESSION_ID=${id}\0`)) return [];
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("rollcall-holder")) return [];
      return [stateOf(readFileSync(`/proc/${pid}/status`, "utf8"))];
    } catch {
      return [];
    }
  });
}

/** A parent in vfork waits in the kernel for its stopped child, and stops before it runs again: it counts as stopped. */
function stateOf(status: string): string {
  const state = /^State:\s+(\S)/m.exec(status)?.[1] ?? "";
  const pending = BigInt(`0x${/^ShdPnd:\s+(\S+)/m.exec(status)?.[1] ?? "0"}`);
  const isStopPending = ((pending >> BigInt(constants.signals.SIGSTOP - 1)) & 1n) === 1n;
  return state === "D" && isStopPending ? "T" : state;
}

test("a pause stops the whole tree, and continue brings back the state before", async () => {
  await using user = newLiveUser();
  const script = "sleep 1000 & setsid sleep 1000 & while :; do sleep 0.1; done";
  const { id } = await user.start(["--", "sh", "-c", script]);
  await until(() => statesOfTree(id).length >= 3, "the tree");
  const paused = (await user.ok(["pause", id, "--json"])).only;
  expect(paused).toMatchObject({ session_id: id });
  expect(await user.get(id)).toMatchObject({ state: "paused", status: "active", seq: paused.seq });
  await until(() => statesOfTree(id).every((state) => state === "T"), "all to be stopped");
  await user.ok(["continue", id]);
  expect(await user.get(id)).toMatchObject({ state: "running" });
  await until(() => statesOfTree(id).every((state) => state !== "T"), "all to go on");
});

test("a paused agent comes back to what it asked, and to its prompt", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await user.ok(["pause", id]);
  expect(await user.rollcall(["send", id, "hi"])).toMatchObject({ code: 4 });
  await user.ok(["continue", id]);
  expect(await user.get(id)).toMatchObject({ state: "waiting_input", waiting: { for: "prompt" } });
  const asked = await asking(user, id, "ask Bash");
  await user.ok(["pause", id]);
  expect(await user.get(id)).toMatchObject({ state: "paused", waiting: null });
  await user.ok(["continue", id]);
  expect((await user.get(id)).waiting).toMatchObject(asked.waiting as object);
  await user.ok(["approve", id]);
  await user.reach(id, "waiting_input");
  expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
});

test("pausing twice is one pause; continuing what is not paused is refused with 4", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  expect(await user.rollcall(["continue", id])).toMatchObject({ code: 4 });
  const first = (await user.ok(["pause", id, "--json"])).only;
  expect((await user.ok(["pause", id, "--json"])).only).toEqual(first);
  await user.ok(["end", id]);
  expect(await user.rollcall(["pause", id])).toMatchObject({ code: 4 });
});

test("a paused session is ended without a word from its operator, with nothing left", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say good");
  await turn(user, id, "spawn setsid");
  await user.ok(["pause", id]);
  const ended = (await user.ok(["end", id, "--json"])).only;
  expect(ended).toMatchObject({ session: { state: "stopped", outcome: "success" }, remaining: [] });
  expect(processesOf(user.folder).filter(({ command }) => command.includes("sleep"))).toEqual([]);
});

test("a pause outlives the daemon", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sh", "-c", "while :; do sleep 0.1; done"]);
  await user.ok(["pause", id]);
  await user.killDaemon();
  await user.ok(["up"]);
  expect(await user.get(id)).toMatchObject({ state: "paused" });
  await until(() => statesOfTree(id).every((state) => state === "T"), "all to be stopped");
  await user.ok(["continue", id]);
  await until(() => statesOfTree(id).every((state) => state !== "T"), "all to go on");
});

test("pause and continue take several sessions; one that cannot is told among the results", async () => {
  await using user = newLiveUser();
  const [one, two] = [await user.start(["--", "sleep", "1000"]), await user.start(["--", "sleep", "1000"])];
  await user.ok(["pause", one.id, two.id]);
  for (const { id } of [one, two]) expect(await user.get(id)).toMatchObject({ state: "paused" });
  const answer = await user.rollcall(["continue", one.id, "nobody", two.id.slice(-6), "--json"]);
  expect(answer).toMatchObject({
    code: 3,
    stderr: "",
    json: {
      results: [
        { session_id: one.id, seq: expect.any(Number) },
        { session_id: "nobody", error: { code: "session_not_found" } },
        { session_id: two.id, seq: expect.any(Number) },
      ],
    },
  });
  expect(await user.rollcall(["continue", "nobody"])).toMatchObject({ code: 3, stdout: "" });
});

test("what fails behind a short id is told with the full one", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  const answer = await user.rollcall(["continue", id.slice(-6), "--json"]);
  expect(answer).toMatchObject({ code: 4, only: { session_id: id, error: { code: "wrong_state" } } });
});

test("whoever wants something of a paused session is told to continue it", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--name", "nap");
  await user.ok(["pause", id]);
  for (const call of [
    ["send", id, "hi"],
    ["approve", id],
    ["answer", id, "1"],
    ["interrupt", id],
    ["resume", id],
  ]) {
    const answer = await user.rollcall([...call, "--json"]);
    expect([answer.code, answer.error.hint], call[0]).toEqual([
      4,
      expect.stringContaining("rollcall continue"),
    ]);
  }
  expect((await user.ok([])).stdout).toContain("rollcall continue nap");
});
