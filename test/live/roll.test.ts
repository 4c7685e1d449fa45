import { expect, test } from "vitest";
import { atTerminal } from "../cli/terminal.ts";
import { findTool } from "../cli/tools.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const script = findTool("script", "apt-get install bsdutils");
const ASK = 'ask Bash {"command":"make deploy"} ; say done';

test("the roll puts who asks before who waits at a prompt, the longest first, with what answers each", async () => {
  await using user = newLiveUser();
  await user.start(["--name", "nap", "--", "sleep", "1000"]);
  await waits(user, "chat", "say hi", "prompt");
  await waits(user, "planner", "question Which cluster? staging | production | neither", "question");
  await waits(user, "deploy", ASK, "permission");
  const { stdout } = await user.ok([]);
  expect(withoutTable(stdout)).toBe(`4 live sessions, 3 waiting for you
planner
    Which cluster?
    1) staging   2) production   3) neither
    rollcall answer planner 1-3
deploy
    Bash {"command":"make deploy"}
    rollcall approve deploy or rollcall deny deploy
chat
    rollcall send chat TEXT
nap
Start one: rollcall start scripted   or any command: rollcall start -- COMMAND…
Live: rollcall top   One: rollcall get ID   All: rollcall list   Help: rollcall --help
`);
});

test("the commands that the roll gives answer what is asked", async () => {
  await using user = newLiveUser();
  await waits(user, "planner", "question Which cluster? staging | production ; say go", "question");
  await waits(user, "deploy", ASK, "permission");
  await waits(user, "free", "question How many?", "question");
  const { stdout } = await user.ok([]);
  expect(stdout).toContain("rollcall answer free TEXT");
  for (const [command] of stdout.matchAll(/(?<=^ {4})rollcall (?:approve \S+|answer \S+ \S+)/gm))
    await user.ok(command.replace(/1-2$/, "2").split(" ").slice(1));
  for (const name of ["planner", "deploy", "free"]) await user.reach(name, "waiting_input");
  expect((await user.ok([])).stdout).not.toMatch(/approve|answer/);
});

test("a trust dialog is approved, and a login only attached to", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "trusting", "--", "--trust"]);
  await user.start(["scripted", "--name", "stranger", "--", "--login"]);
  for (const name of ["trusting", "stranger"]) await user.reach(name, "waiting_input");
  const { stdout } = await user.ok([]);
  expect(stdout).toContain("rollcall approve trusting or rollcall deny trusting\n");
  expect(stdout).toContain("    rollcall attach stranger\n");
});

test("a name that a shell would act on, or that another session has, is not in the command", async () => {
  await using user = newLiveUser();
  const names = ["a;reboot", "$(reboot)", "with space", "deadbe", "twin", "plain.name-1"];
  await user.create("--name", "twin");
  for (const name of names) await user.start(["scripted", "--name", name]);
  await until(
    async () => (await user.ok(["status", "--short"])).stdout === "7 live, 6 waiting\n",
    "all to wait",
  );
  const { stdout } = await user.ok([]);
  const called = [...stdout.matchAll(/rollcall send (\S+) TEXT/g)].map(([, name]) => name as string);
  expect(called.filter((name) => !/^[0-9a-f]{6}$/.test(name))).toEqual(["plain.name-1"]);
  for (const name of called) await user.ok(["get", name]);
});

test("a turn that failed is shown with its error, and a new turn takes it away", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "chat", "fail API Error: 400"]);
  await user.reach("chat", "waiting_input");
  expect((await user.ok([])).stdout).toMatch(
    /chat .*failed: API Error: 400.*\n {4}Its last turn failed: API Error: 400\n/,
  );
  expect((await user.ok(["list"])).stdout).toContain("failed: API Error: 400");
  expect((await user.ok(["get", "chat"])).stdout).toMatch(/^last turn +failed: API Error: 400$/m);
  await user.ok(["send", "chat", "say better", "--wait"]);
  expect((await user.ok([])).stdout).not.toContain("failed");
});

test("a session that failed stays on the roll with its reason, and not in what lives", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "tests", "say 3 tests failed. ; exit 1"]);
  await user.reach("tests", "failed");
  await until(async () => (await user.ok([])).stdout.includes("exit 1: 3 tests failed."), "its reason");
  expect((await user.ok([])).stdout).toMatch(/^No live sessions, 1 ended\n/);
  expect((await user.ok(["list", "--active-only", "--json"])).json.sessions).toEqual([]);
});

test("what an agent asks cannot act on the terminal", async () => {
  await using user = newLiveUser();
  await waits(user, "evil", `ask Bash {"command":"\\u001b]0;owned\\u0007\\u202e"} ; say x`, "permission");
  const { stdout } = await user.ok([]);
  expect(stdout).toContain("\\u001b]0;owned\\u0007");
  for (const acts of ["\u0007", "\u001b", "\u202e"]) expect(stdout).not.toContain(acts);
});

test("a session stands below the one that started it, unless it waits", async () => {
  await using user = newLiveUser();
  const sleeps = ["--", "sleep", "1000"];
  const { id } = await user.start(["--name", "parent", ...sleeps]);
  await user.start(["--name", "other", ...sleeps]);
  await user.start(["--name", "child", "--parent", id, ...sleeps]);
  await user.start(["--name", "grandchild", "--parent", "child", ...sleeps]);
  await waits(user, "asker", ASK, "permission", "--parent", id);
  expect(rowsOf((await user.ok([])).stdout)).toEqual([
    "asker",
    "other",
    "parent",
    "└ child",
    "  └ grandchild",
  ]);
});

test("a request of a record that Rollcall does not carry is shown without a command", async () => {
  await using user = newLiveUser();
  const id = await user.create("--name", "by-hand", "--no-file");
  await using library = await user.library();
  await library.context.store.change(id, () => [
    {
      id: "e1",
      at: new Date().toISOString(),
      channel: null,
      body: {
        kind: "asked",
        state: "waiting_input",
        evidence: { source: "screen", rule: "test", excerpt: null },
        generation: 1,
        waiting: {
          ...{ for: "permission", requestId: "r1", tool: "Bash", input: null, question: null, options: null },
          since: new Date().toISOString(),
        },
      },
    },
  ]);
  const { stdout } = await user.ok([]);
  expect(stdout).toMatch(/by-hand.*\n {4}Bash\n\n/);
});

test.runIf(script)("in a narrow terminal no line is too long and every command is whole", async () => {
  await using user = newLiveUser();
  await waits(user, "a-name-that-takes-its-room", `ask Bash {"command":"${"x".repeat(200)}"}`, "permission");
  await waits(user, "planner", `question Which? ${"long ".repeat(9)}| ${"longer ".repeat(9)}`, "question");
  const { lines } = await atTerminal(user, [], { columns: 60 });
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(lines).toEqual(
    expect.arrayContaining([
      "    rollcall approve a-name-that-takes-its-room",
      "    rollcall deny a-name-that-takes-its-room",
      "    rollcall answer planner 1-2",
      "Start one: rollcall start scripted",
    ]),
  );
});

test("without sessions the roll says how to start one", async () => {
  await using user = newLiveUser();
  expect((await user.ok([])).stdout).toMatch(/^No live sessions\.\n\nStart one: rollcall start scripted /);
});

/** A scripted agent that was given a text and waits for what the text leads to. */
async function waits(
  user: LiveUser,
  name: string,
  prompt: string,
  what: string,
  ...more: string[]
): Promise<void> {
  await user.start(["scripted", "--name", name, "--prompt", prompt, ...more]);
  await until(async () => {
    const { waiting } = (await user.get(name)) as unknown as { waiting: { for: string } | null };
    return waiting?.for === what;
  }, `${name} to wait`);
}

/** The names in the table, from above, with what stands before them. */
function rowsOf(stdout: string): string[] {
  const rows = stdout.split("\n").filter((line) => /^[0-9a-f]{6} {2}/.test(line));
  return rows.map((row) => (/^.{8}((?: *└ )?\S+)/.exec(row) as RegExpExecArray)[1] as string);
}

/** The roll with only the name of each row, and without empty lines and the header. */
function withoutTable(stdout: string): string {
  const lines = stdout.split("\n").filter((line, index, all) => line !== "" || index === all.length - 1);
  const kept = lines.filter((line) => !line.startsWith("ID "));
  return kept.map((line) => line.replace(/^[0-9a-f]{6} {2}(\S+).*/, "$1")).join("\n");
}
