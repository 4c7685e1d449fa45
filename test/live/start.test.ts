import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LiveUser, newLiveUser } from "./user.ts";

describe("a command", () => {
  test("runs in a terminal where it is interactive, and in pipes where it is autonomous", async () => {
    await using user = newLiveUser();
    const sh = ["--", "sh", "-c", "test -t 0 && test -t 1 && echo a terminal || echo pipes"];
    for (const [kind, says] of [
      ["interactive", "a terminal"],
      ["autonomous", "pipes"],
    ] as const) {
      const { id, state } = await user.start(["--kind", kind, ...sh]);
      expect(["running", "stopping", "stopped"]).toContain(state);
      const ended = await user.reach(id, "stopped");
      expect(ended).toMatchObject({ kind, outcome: "success", exit_code: 0, exit_signal: null });
      expect((await user.ok(["logs", id])).stdout.trim()).toBe(says);
    }
    expect(user.launchFolders()).toEqual([]);
  });

  test("gets the caller's environment and folder, and what the options add", async () => {
    await using user = newLiveUser();
    writeFileSync(join(user.workspace, "more.env"), "# two more\nFROM_FILE=f=1\n\nBOTH=file\n");
    mkdirSync(join(user.workspace, "below"));
    const options = ["--env", "FROM_FLAG=with space", "--env", "BOTH=flag", "--env-file", "more.env"];
    const script = 'echo "$PWD|$OWN|$FROM_FLAG|$FROM_FILE|$BOTH"';
    const answer = await user.ok(
      ["start", "--wait", ...options, "--cwd", "below", "--", "sh", "-c", script],
      {
        env: { OWN: "mine" },
      },
    );
    const folder = realpathSync(join(user.workspace, "below"));
    expect(answer.stdout).toBe(`${folder}|mine|with space|f=1|flag\n`);
  });

  test("has the names of its variables kept, and no value of them anywhere", async () => {
    await using user = newLiveUser();
    const [own, given] = ["plain-words-of-mine", "plain-words-given"];
    await user.start(["--env", `GIVEN=${given}`, "--", "sleep", "1000"], { env: { OWN: own } });
    await user.killDaemon();
    await user.ok(["up"]);
    const files = readdirSync(user.folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(user.folder, name))
      .filter((path) => statSync(path).isFile());
    const texts = files.map((path) => readFileSync(path, "latin1"));
    expect(files.filter((_, at) => texts[at]?.includes(own) || texts[at]?.includes(given))).toEqual([]);
    expect(texts.some((text) => text.includes("GIVEN"))).toBe(true);
  });

  test("waits for input only by a pattern that the user gave, and goes on when it is answered", async () => {
    await using user = newLiveUser();
    const script = "printf 'name? '; read name; echo hello $name; sleep 1000";
    const { id } = await user.start(["--wait-pattern", "name\\?$", "--", "sh", "-c", script]);
    const waiting = await user.reach(id, "waiting_input");
    expect(waiting).toMatchObject({ state_source: "screen", waiting: { for: "prompt" } });
    await user.ok(["send", id, "you"]);
    await user.reach(id, "running");
    expect((await user.ok(["data", id, "--json"])).json.screen).toContain("hello you");
  });

  test("goes on in a folder that is deleted under it", async () => {
    await using user = newLiveUser();
    const folder = join(user.workspace, "soon-gone");
    mkdirSync(folder);
    const { id } = await user.start(["--", "cat"], { cwd: folder });
    rmSync(folder, { recursive: true });
    await user.ok(["send", id, "still here"]);
    await user.killDaemon();
    expect(await user.get(id)).toMatchObject({ state: "running" });
    await user.ok(["send", id, "and now"]);
    const ended = (await user.ok(["end", id, "--json"])).only;
    expect(ended).toMatchObject({ session: { state: "stopped" }, remaining: [] });
    expect((await user.ok(["logs", id])).stdout).toContain("and now");
  });
});

describe("what cannot be started", () => {
  test.each([
    ["is not found", "no-such-program-here", "ENOENT"],
    ["may not be executed", "./plain.txt", "EACCES"],
    ["is a folder", ".", "EACCES"],
  ])("because it %s fails in one sentence and leaves nothing", async (_, program, error) => {
    await using user = newLiveUser();
    writeFileSync(join(user.workspace, "plain.txt"), "no program");
    for (const kind of ["interactive", "autonomous"]) {
      const answer = await user.rollcall(["start", "--kind", kind, "--json", "--", program]);
      expect(answer).toMatchObject({ code: 1, error: { code: "start_failed" } });
      expect(answer.error.message).toContain(JSON.stringify(program));
    }
    const { sessions } = (await user.ok(["list", "--json"])).json;
    expect(sessions.map(({ state, outcome }) => [state, outcome])).toEqual([
      ["failed", "failure"],
      ["failed", "failure"],
    ]);
    const events = (await user.ok(["events", sessions[0]?.id as string, "--json"])).stdout;
    expect(events).toContain(error);
    expect(user.launchFolders()).toEqual([]);
  });

  test("because its interpreter is missing fails too, and names its session", async () => {
    await using user = newLiveUser();
    const script = join(user.workspace, "script");
    writeFileSync(script, "#!/no/such/interpreter\n");
    chmodSync(script, 0o755);
    const answer = await user.rollcall(["start", "--wait", "--", script]);
    expect(answer).toMatchObject({ code: 1, stdout: "" });
    expect(answer.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
    expect(answer.stderr).toContain((await user.get("last")).id);
  });

  test("because its folder is missing is refused before anything is written", async () => {
    await using user = newLiveUser();
    const missing = join(user.workspace, "missing");
    const answer = await user.rollcall(["start", "--cwd", missing, "--json", "--", "true"]);
    expect(answer).toMatchObject({ code: 2, error: { code: "bad_input" } });
    expect(answer.error.message).toContain(missing);
    expect((await user.ok(["list", "--json"])).json.sessions).toEqual([]);
  });

  test("because the caller's folder was deleted is told in one sentence", async () => {
    await using user = newLiveUser();
    const answer = await startInDeletedFolder(user);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain("folder is gone");
  });

  test.each([
    [["clade"], 2, "rollcall start -- clade"],
    [["unknown"], 2, "rollcall start --"],
    [[], 2, "nothing to start"],
    [["--"], 2, "nothing to start"],
    [["opencode", "--kind", "acp", "--", "--port", "1"], 2, "cannot be given --port"],
    [["gemini", "--kind", "acp", "hi", "--", "--resume=x"], 2, "decides about --resume"],
    [["scripted", "--kind", "batch"], 2, "Valid: interactive, autonomous, acp.\n"],
    [["--kind", "acp"], 2, "nothing to start"],
    [["--kind", "acp", "--wait", "--", "true"], 2, "nothing to wait for"],
    [["--kind", "acp", "--tmux", "--", "true"], 2, "nothing to show in tmux"],
    [["scripted", "hi", "--prompt", "ho"], 2, "given twice"],
    [["--wait-pattern", "(", "--", "true"], 2, "pattern"],
    [["--wait-pattern", "x", "--kind", "autonomous", "--", "true"], 2, "no screen"],
    [["--wait-pattern", "x", "--wait", "--", "true"], 2, "no screen"],
    [["--tmux", "--kind", "autonomous", "scripted"], 2, "nothing to show in tmux"],
    [["--tmux", "--wait", "--", "true"], 2, "nothing to show in tmux"],
    [["--timeout", "soon", "--", "true"], 2, "not a duration"],
    [["--env", "novalue", "--", "true"], 2, "does not set a variable"],
    [["--parent", "nobody", "--", "true"], 3, "nobody"],
    [["--id", "../up", "--", "true"], 2, "id"],
  ] as [string[], number, string][])("such as %j is refused with a hint", async (args, code, says) => {
    await using user = newLiveUser();
    const answer = await user.rollcall(["start", ...args]);
    expect(answer).toMatchObject({ code, stdout: "" });
    expect(answer.stderr).toContain(says);
    expect((await user.ok(["list", "--json"])).json.sessions).toEqual([]);
  });

  test("with a file of variables that is not there is refused by Rollcall, not by Node", async () => {
    await using user = newLiveUser();
    const { run, LAUNCHER } = await import("../cli/rollcall.ts");
    const answer = await run(LAUNCHER, ["start", "--env-file", "/nowhere", "--", "true"], { env: user.env });
    expect(answer).toMatchObject({ code: 2, stdout: "" });
    expect(answer.stderr).toContain("/nowhere cannot be read");
  });
});

/** A shell that is in a folder when it is deleted. */
async function startInDeletedFolder(user: LiveUser) {
  const { run, LAUNCHER } = await import("../cli/rollcall.ts");
  const folder = join(user.workspace, "deleted");
  mkdirSync(folder);
  const script = `rmdir "$PWD"; "$0" "$1" start -- true`;
  const answer = await run("sh", ["-c", script, process.execPath, LAUNCHER], { cwd: folder, env: user.env });
  expect(existsSync(folder)).toBe(false);
  return answer;
}

describe("who a session is", () => {
  test("is said with the flags that create has", async () => {
    await using user = newLiveUser();
    const parent = await user.create("--name", "above");
    const { id } = await user.start([
      ...["--id", "my-own", "--name", "nap", "--agent", "sleeper", "--task", "t1", "--chain", "c1"],
      ...["--role", "rest", "--purpose", "test", "--goal", "to sleep", "--model", "m", "--channel", "api"],
      ...["--metadata", `{"a":{"some_key":1}}`, "--parent", "above", "--", "sleep", "1000"],
    ]);
    expect(id).toBe("my-own");
    expect(await user.get("nap")).toMatchObject({
      ...{ id, name: "nap", agent_type: "unknown", agent_name: "sleeper", task_id: "t1", chain_id: "c1" },
      ...{ role: "rest", purpose: "test", goal: "to sleep", model: "m", channel: "api" },
      ...{ metadata: { a: { some_key: 1 } }, parent_id: parent, state: "running", generation: 1 },
    });
  });

  test("cannot be what another is, which is left alone", async () => {
    await using user = newLiveUser();
    const first = await user.start(["--id", "taken", "--", "sleep", "1000"]);
    const answer = await user.rollcall(["start", "--id", "taken", "--json", "--", "sleep", "2000"]);
    expect(answer).toMatchObject({ code: 4, error: { code: "id_in_use" } });
    expect(await user.get("taken")).toMatchObject({ seq: first.seq, state: "running" });
    expect(user.launchFolders()).toHaveLength(1);
  });

  test("started inside another is its child", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["--", "sleep", "1000"], { env: { ROLLCALL_SESSION_ID: "" } });
    const child = await user.start(["--", "sleep", "1000"], { env: { ROLLCALL_SESSION_ID: id } });
    expect(child.parent_id).toBe(id);
    expect((await user.get(id)).parent_id).toBeNull();
  });

  test("stands in a record file of its workspace, unless it is to have none", async () => {
    await using user = newLiveUser();
    const workspace = join(user.folder, "elsewhere");
    mkdirSync(workspace);
    const kept = await user.start(["--workspace", workspace, "--", "sleep", "1000"]);
    const none = await user.start(["--workspace", workspace, "--no-file", "--", "sleep", "1000"]);
    await user.ok(["end", kept.id, none.id]);
    const files = join(workspace, ".rollcall", "sessions");
    expect(readdirSync(files).filter((name) => name.endsWith(".json"))).toEqual([`${kept.id}.json`]);
    const record = JSON.parse(readFileSync(join(files, `${kept.id}.json`), "utf8"));
    expect(record).toMatchObject({ state: "stopped", outcome: "interrupted" });
  });

  test("is answered with its id, or with its record as JSON", async () => {
    await using user = newLiveUser();
    const plain = await user.ok(["start", "-d", "--", "sleep", "1000"]);
    expect(plain.stdout).toMatch(/^session-\d{8}-\d{6}-[0-9a-f]{6}\n$/);
    const { json } = await user.ok(["start", "--json", "--", "sleep", "1000"]);
    expect(json).toMatchObject({ state: "running", kind: "interactive", channel: "cli", generation: 1 });
  });
});
