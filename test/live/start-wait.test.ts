import { describe, expect, test } from "vitest";
import { atPrompt, dataOf, said, statesOf, turn } from "./scripted.ts";
import { newLiveUser } from "./user.ts";

describe("start --wait", () => {
  test.each([
    ["success", ["--", "sh", "-c", "echo done"], 0, "done\n", null],
    ["failure", ["--", "sh", "-c", "echo bad; exit 3"], 1, "bad\n", "failed (exit 3)"],
    ["failure", ["--", "sh", "-c", "kill -SEGV $$"], 1, "", "failed (SIGSEGV)"],
    ["interrupted", ["--timeout", "300ms", "--", "sleep", "1000"], 5, "", "stopped (timeout)"],
    ["success", ["scripted", "say one ; say two"], 0, "two\n", null],
    ["failure", ["scripted", "say one ; fail the model is gone"], 1, "one\n", "the model is gone"],
    ["failure", ["scripted", "exit 7"], 1, "", "failed (exit 7)"],
  ] as const)("exits by the outcome %s of %j", async (outcome, args, code, stdout, reason) => {
    await using user = newLiveUser();
    const answer = await user.rollcall(["start", "--wait", ...args]);
    const session = await user.get("last");
    const stderr = reason === null ? "" : `${session.id}: ${reason}\n`;
    expect([answer.code, answer.stdout, answer.stderr]).toEqual([code, stdout, stderr]);
    expect(session).toMatchObject({ kind: "autonomous", outcome });
    await expect.poll(() => user.launchFolders()).toEqual([]);
  });

  test("takes a line of a plain command that is longer than the holder's spool", async () => {
    await using user = newLiveUser();
    const script = String.raw`head -c 17825915 /dev/zero | tr '\0' x; echo`;
    const { code, stdout } = await user.rollcall(["start", "--wait", "--no-file", "--", "sh", "-c", script]);
    expect([code, stdout.length, stdout.endsWith("x\n")]).toEqual([0, 17825916, true]);
  });

  test("exits with 4 when someone ends the session, and tells all as JSON", async () => {
    await using user = newLiveUser();
    const waiting = user.rollcall([
      "start",
      "--wait",
      "--name",
      "long",
      "--json",
      "scripted",
      "say hi ; hang",
    ]);
    await expect.poll(async () => (await user.rollcall(["get", "long"])).code).toBe(0);
    await user.reach("long", "running");
    await user.ok(["end", "long"]);
    const answer = await waiting;
    expect(answer.code).toBe(4);
    expect(answer.stderr).toContain(" (long): stopped (interrupted)\n");
    expect(answer.json).toMatchObject({
      session: { state: "stopped", outcome: "interrupted" },
      reached: "stopped",
      answer: "hi",
    });
  });

  test("gives nothing to read to a command, whose input ends at once", async () => {
    await using user = newLiveUser();
    const answer = await user.rollcall(["start", "--wait", "--", "sh", "-c", "cat; echo read all"]);
    expect(answer).toMatchObject({ code: 0, stdout: "read all\n" });
  });

  test("of an autonomous agent waits for what it does in the background, and resume --prompt goes on", async () => {
    await using user = newLiveUser();
    const goal = "background 1s ; say sooner";
    expect(await user.rollcall(["start", "--wait", "scripted", goal])).toMatchObject({
      ...{ code: 0, stdout: "sooner\n", stderr: "" },
    });
    const { id, ended_at, created_at } = await user.get("last");
    expect(Date.parse(String(ended_at)) - Date.parse(String(created_at))).toBeGreaterThanOrEqual(1000);
    await user.ok(["resume", id, "--prompt", "say later"]);
    expect(await user.reach(id, "stopped")).toMatchObject({ generation: 2, outcome: "success" });
    expect(await said(user, id, "user")).toEqual([goal, "say later"]);
    expect(await said(user, id, "assistant")).toEqual(["sooner", "later"]);
  });

  test("prints a request that is met on the way and exits 4, and the session goes on", async () => {
    await using user = newLiveUser();
    const args = ["--name", "asker", "--kind", "autonomous", "scripted", 'ask Bash {"command":"ls"}'];
    const answer = await user.rollcall(["start", "--wait", ...args]);
    expect(answer.code).toBe(4);
    expect(answer.stderr).toContain('Bash {"command":"ls"}');
    expect(answer.stderr).toContain("rollcall approve asker");
    await user.ok(["approve", "asker"]);
    expect(await user.reach("asker", "stopped")).toMatchObject({ outcome: "success" });
  });

  test.each([
    ["say fine", 0, "fine\n", ""],
    ["say oh ; fail broken", 1, "oh\n", ": broken\n"],
  ])("with interactive returns at the prompt behind the turn of %j", async (prompt, code, stdout, reason) => {
    await using user = newLiveUser();
    const answer = await user.rollcall(["start", "--wait", "--kind", "interactive", "scripted", prompt]);
    const session = await user.get("last");
    const stderr = reason === "" ? "" : `${session.id}${reason}`;
    expect([answer.code, answer.stdout, answer.stderr]).toEqual([code, stdout, stderr]);
    expect(session).toMatchObject({ state: "waiting_input", kind: "interactive" });
  });

  test("with interactive prints a dialog that stands before the first prompt", async () => {
    await using user = newLiveUser();
    const args = ["--kind", "interactive", "--name", "new", "scripted", "say hi", "--", "--trust"];
    const answer = await user.rollcall(["start", "--wait", ...args]);
    expect(answer.code).toBe(4);
    expect(answer.stderr).toContain("rollcall approve new");
  });
});

describe("the first text", () => {
  test("is given when the agent is ready, and not before", async () => {
    await using user = newLiveUser();
    const { id, state } = await user.start(["scripted", "say hello", "--", "--slow-start", "6000"]);
    expect(state).toBe("starting");
    expect((await user.rollcall(["wait", id, "--until", "stopped", "--timeout", "200ms"])).code).toBe(5);
    expect((await dataOf(user, id)).observability).toBe("not_yet_observable");
    await expect.poll(async () => said(user, id, "assistant"), { timeout: 20_000 }).toEqual(["hello"]);
    expect(await said(user, id, "user")).toEqual(["say hello"]);
    await user.reach(id, "waiting_input");
    expect(new Set(await statesOf(user, id))).toEqual(new Set(["running", "waiting_input"]));
    expect((await statesOf(user, id)).filter((state) => state === "waiting_input")).toHaveLength(1);
  });

  test("waits behind a dialog of trust", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "--prompt", "say hello", "--", "--trust"]);
    expect(await user.reach(id, "waiting_input")).toMatchObject({ waiting: { for: "trust" } });
    expect(await said(user, id, "user")).toEqual([]);
    await user.ok(["approve", id]);
    await expect.poll(async () => said(user, id, "assistant"), { timeout: 20_000 }).toEqual(["hello"]);
  });

  test("is given once, whenever the daemon dies", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "say hello", "--", "--slow-start", "500"]);
    await user.killDaemon();
    await user.ok(["up"]);
    await expect.poll(async () => said(user, id, "assistant"), { timeout: 20_000 }).toEqual(["hello"]);
    await user.killDaemon();
    await user.ok(["up"]);
    expect(await said(user, id, "user")).toEqual(["say hello"]);
  });

  test("with control characters, or without any, is refused before anything is started", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say before");
    await user.ok(["end", id]);
    const ended = await user.get(id);
    for (const prompt of ["a\u0003b", "\u001b[201~", "a\rb", ""])
      for (const args of [
        ["start", "scripted"],
        ["resume", id],
        ["fork", id],
      ]) {
        const answer = await user.rollcall([...args, "-d", "--json", `--prompt=${prompt}`]);
        expect(answer).toMatchObject({ code: 2, stdout: "", error: { code: "bad_input" } });
      }
    const command = await user.rollcall(["start", "-d", "--prompt", "\u0003", "--", "cat"]);
    expect(command).toMatchObject({ code: 2, stdout: "" });
    const { sessions } = (await user.ok(["list", "--json"])).json;
    expect(sessions.map(({ id: each, seq }) => [each, seq])).toEqual([[id, ended.seq]]);
    expect(user.launchFolders()).toEqual([]);
  });

  test("of a command is written as soon as it runs", async () => {
    await using user = newLiveUser();
    const answer = await user.ok(["start", "--wait", "--prompt", "two\nlines", "--", "cat", "-n"]);
    expect(answer.stdout).toBe("     1\ttwo\n     2\tlines\n");
  });
});
