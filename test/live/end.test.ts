import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asking, atPrompt, eventsOf, said, statesOf, turn } from "./scripted.ts";
import { isAlive, type LiveUser, newLiveUser, until } from "./user.ts";

const NAP = ["--", "sleep", "1000"];

/** Ends it and gives what is left of it: state, outcome, exit code or signal. */
async function endOf(user: LiveUser, id: string, ...args: readonly string[]) {
  const { session } = (await user.ok(["end", id, "--json", ...args])).only as unknown as {
    session: Record<string, unknown>;
  };
  return [session.state, session.outcome, session.exit_signal ?? session.exit_code];
}

describe("the outcome of an explicit end", () => {
  test.each([
    ["at its prompt after a good turn", ["say good"], "success"],
    ["at its prompt after a failed turn", ["say good", "fail bad"], "failure"],
    ["after a good turn behind a failed one", ["fail bad", "say good"], "success"],
    ["before any turn", [], "interrupted"],
  ])("%s", async (_, texts, outcome) => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    for (const text of texts) await turn(user, id, text);
    expect(await endOf(user, id)).toEqual(["stopped", outcome, 0]);
  });

  test("after an aborted turn, in mid-turn and at a request is interrupted", async () => {
    await using user = newLiveUser();
    const ids = [await atPrompt(user), await atPrompt(user), await atPrompt(user)] as const;
    for (const id of ids) await turn(user, id, "say good");
    for (const id of ids.slice(0, 2)) {
      await user.ok(["send", id, "hang"]);
      await user.reach(id, "running");
    }
    await user.ok(["interrupt", ids[0]]);
    await user.reach(ids[0], "waiting_input");
    await asking(user, ids[2], "ask Bash");
    for (const id of ids) expect((await endOf(user, id)).slice(0, 2)).toEqual(["stopped", "interrupted"]);
  });

  test("is what --outcome says, and a word on which there is no agreement is refused", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    expect((await user.rollcall(["end", id, "--outcome", "fine"])).code).toBe(2);
    expect(await user.get(id)).toMatchObject({ state: "running" });
    expect(await endOf(user, id, "--outcome", "success")).toEqual(["stopped", "success", "SIGTERM"]);
  });
});

describe("who leaves by itself", () => {
  test.each([
    [["say good", "exit 0"], "stopped", "success", 0],
    [["fail bad ; exit 0"], "stopped", "failure", null],
    [["say good", "exit 3"], "failed", "failure", 3],
    [["say good", "crash"], "failed", "failure", "SIGSEGV"],
  ] as [string[], string, string, number | string | null][])(
    "after %j is %s, %s",
    async (texts, ...wanted) => {
      await using user = newLiveUser();
      const id = await atPrompt(user);
      for (const text of texts) await user.rollcall(["send", id, text, "--wait"]);
      if (wanted[2] === null) await user.ok(["keys", id, "C-d"]);
      const session = await user.reach(id, "stopped", "failed");
      const how = session.exit_signal ?? session.exit_code;
      expect([session.state, session.outcome, how]).toEqual([wanted[0], wanted[1], wanted[2] ?? 0]);
    },
  );

  test("after an aborted turn is interrupted", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await user.ok(["send", id, "hang"]);
    await user.reach(id, "running");
    await user.ok(["interrupt", id]);
    await user.reach(id, "waiting_input");
    await user.ok(["keys", id, "C-d"]);
    expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "interrupted", exit_code: 0 });
  });

  test("and leaves a server running has its rest ended, with its own exit code", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "spawn server");
    const [, pid, port] = /pid (\d+) on port (\d+)/.exec((await said(user, id, "assistant"))[0] ?? "") ?? [];
    await user.ok(["send", id, "exit 5"]);
    const session = await user.reach(id, "failed");
    expect(session).toMatchObject({ exit_code: 5, outcome: "failure" });
    expect(isAlive(Number(pid))).toBe(false);
    const refused = await new Promise((resolve) =>
      connect(Number(port), "127.0.0.1").once("error", (error) => resolve(error.message)),
    );
    expect(refused).toContain("ECONNREFUSED");
    expect(await statesOf(user, id)).toContain("stopping");
  });
});

describe("an end", () => {
  test("asked for ten times at once happens once, and all get the same answer", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "spawn stubborn");
    const args = ["end", id, "--grace", "500ms", "--json"];
    const answers = await Promise.all(Array.from({ length: 10 }, async () => user.ok(args)));
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
    expect(answers[0]?.only).toMatchObject({ session: { state: "stopped" }, killed: 1, remaining: [] });
    const states = await statesOf(user, id);
    expect(states.filter((state) => state === "stopped")).toHaveLength(1);
    expect((await user.ok(args)).stdout).toBe(answers[0]?.stdout);
  });

  test("while the agent is starting", async () => {
    await using user = newLiveUser();
    const { id, state } = await user.start(["scripted", "--", "--slow-start", "60000"]);
    expect(state).toBe("starting");
    expect((await endOf(user, id)).slice(0, 2)).toEqual(["stopped", "interrupted"]);
    expect(user.launchFolders()).toEqual([]);
  });

  test("together with the start is an end of whatever was started", async () => {
    await using user = newLiveUser();
    await user.ok(["up"]);
    const starting = user.rollcall(["start", "--id", "early", "-d", "--json", ...NAP]);
    await until(async () => (await user.rollcall(["get", "early"])).code === 0, "its record");
    expect((await endOf(user, "early"))[0]).toBe("stopped");
    await starting;
    expect(await user.get("early")).toMatchObject({ state: "stopped", outcome: "interrupted" });
    expect(user.launchFolders()).toEqual([]);
  });

  test("of a session that has ended changes nothing; of a record only it is refused with 4", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["--", "sh", "-c", "exit 3"]);
    const ended = await user.reach(id, "failed");
    expect(await endOf(user, id, "--outcome", "success")).toEqual(["failed", "failure", 3]);
    expect((await user.get(id)).seq).toBe(ended.seq);
    const record = await user.create();
    const answer = await user.rollcall(["end", record, "--json"]);
    expect(answer).toMatchObject({ code: 4, error: { code: "not_carried" } });
    expect(answer.error.hint).toContain("finalize");
    expect(await user.rollcall(["end", "nobody"])).toMatchObject({ code: 3 });
  });

  test("goes by short id, or by name, which means the one that lives", async () => {
    await using user = newLiveUser();
    const one = await user.start(["--name", "twin", ...NAP]);
    expect((await endOf(user, one.id.slice(-6)))[0]).toBe("stopped");
    const two = await user.start(["--name", "twin", ...NAP]);
    expect((await endOf(user, "twin"))[0]).toBe("stopped");
    expect(await user.get(two.id)).toMatchObject({ state: "stopped" });
  });

  test("comes after finalize, whose outcome stays; reconcile leaves what lives alone", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    expect((await user.ok(["reconcile", "--json"])).json).toMatchObject({ reconciled: 0 });
    expect((await user.ok(["finalize", id, "completed"])).stdout).toContain("goes on until");
    expect(await user.get(id)).toMatchObject({ state: "running" });
    expect((await endOf(user, id)).slice(0, 2)).toEqual(["stopped", "success"]);
  });

  test("of all needs no daemon where there is nothing to end", async () => {
    await using user = newLiveUser();
    expect((await user.ok(["end", "--all"])).stdout).toBe("No live session.\n");
    expect((await user.ok(["status", "--json"])).json).toMatchObject({ daemon: { running: false } });
  });

  test("with --no-wait returns while it is stopping", async () => {
    await using user = newLiveUser();
    const trap = "trap '' TERM; while :; do sleep 0.1; done";
    const { id } = await user.start(["--", "sh", "-c", trap]);
    const answer = (await user.ok(["end", id, "--no-wait", "--grace", "1s", "--json"])).only;
    expect(answer).toMatchObject({ session: { state: "stopping" } });
    expect(await user.reach(id, "stopped")).toMatchObject({ exit_signal: "SIGKILL", outcome: "interrupted" });
  });

  test("with a grace of many days lets its processes leave by themselves", async () => {
    await using user = newLiveUser();
    const leave = "echo asked; until [ -e gate ]; do sleep 0.02; done; exit 7";
    const script = `trap '${leave}' TERM; echo ready; while :; do sleep 0.02; done`;
    const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", script]);
    const says = async (word: string) => (await user.ok(["logs", id])).stdout.includes(word);
    await until(async () => says("ready"), "its trap");
    await user.ok(["end", id, "--no-wait", "--grace", "30d"]);
    await until(async () => says("asked"), "the signal");
    writeFileSync(join(user.workspace, "gate"), "");
    expect(await user.reach(id, "stopped")).toMatchObject({ exit_code: 7, exit_signal: null });
  });

  test("names the sessions that it started, and ends them too with --children", async () => {
    await using user = newLiveUser();
    const top = await user.start(NAP);
    const below = await user.start(["--parent", top.id, ...NAP]);
    const lowest = await user.start(["--parent", below.id, ...NAP]);
    const other = await user.start(NAP);
    const answer = await user.ok(["end", top.id]);
    expect(answer.stdout).toContain(below.id);
    expect(await user.get(below.id)).toMatchObject({ state: "running" });
    await user.ok(["end", below.id, "--children"]);
    expect(await user.get(lowest.id)).toMatchObject({ state: "stopped" });
    expect(await user.get(other.id)).toMatchObject({ state: "running" });
  });

  test("of all ends what Rollcall carries and leaves records alone", async () => {
    await using user = newLiveUser();
    expect((await user.ok(["end", "--all"])).stdout).toBe("No live session.\n");
    const record = await user.create();
    const ids = [(await user.start(NAP)).id, await atPrompt(user), (await user.start(NAP)).id];
    const { results } = (await user.ok(["end", "--all", "--json"])).json as unknown as {
      results: { session: { id: string; state: string } }[];
    };
    expect(results.map(({ session }) => session.id).toSorted()).toEqual(ids.toSorted());
    expect(results.map(({ session }) => session.state)).toEqual(["stopped", "stopped", "stopped"]);
    const { id } = await user.start(NAP);
    const alone = (await user.ok(["end", "--all", "--json"])).json;
    expect(alone).toMatchObject({ results: [{ session: { id, state: "stopped" } }] });
    expect(await user.get(record)).toMatchObject({ state: "running" });
    expect(await user.rollcall(["end"])).toMatchObject({ code: 2 });
    expect(await user.rollcall(["end", record, "--all"])).toMatchObject({ code: 2 });
  });

  test("of several tells each, and exits with the worst", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    const answer = await user.rollcall(["end", id, "nobody", "--json"]);
    expect(answer.code).toBe(3);
    expect(answer.json).toMatchObject({
      results: [{ session: { state: "stopped" } }, { error: { code: "session_not_found" } }],
    });
  });

  test("says who asked, and through which channel", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    await user.ok(["end", id]);
    const stopping = (await eventsOf(user, id)).find(({ kind }) => kind === "end_began");
    expect(stopping).toMatchObject({
      channel: "cli",
      body: { evidence: { source: "operator", rule: "end" } },
    });
  });
});
