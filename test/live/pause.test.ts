import { readdirSync, readFileSync } from "node:fs";
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
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return [stat.slice(stat.lastIndexOf(")") + 2)[0] as string];
    } catch {
      return [];
    }
  });
}

test("a pause stops the whole tree, and continue brings back the state before", async () => {
  await using user = newLiveUser();
  const script = "sleep 1000 & setsid sleep 1000 & while :; do sleep 0.1; done";
  const { id } = await user.start(["--", "sh", "-c", script]);
  await until(() => statesOfTree(id).length >= 3, "the tree");
  const paused = (await user.ok(["pause", id, "--json"])).json;
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
  const first = (await user.ok(["pause", id, "--json"])).json;
  expect((await user.ok(["pause", id, "--json"])).json).toEqual(first);
  await user.ok(["end", id]);
  expect(await user.rollcall(["pause", id])).toMatchObject({ code: 4 });
});

test("a paused session is ended without a word from its operator, with nothing left", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say good");
  await turn(user, id, "spawn setsid");
  await user.ok(["pause", id]);
  const ended = (await user.ok(["end", id, "--json"])).json;
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
