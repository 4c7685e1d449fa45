import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { LAUNCHER, type Shown } from "../cli/rollcall.ts";
import { holdTerminal } from "./held-terminal.ts";
import { openTerminal, rollcallAt, type Terminal } from "./top-terminal.ts";
import { gone, type LiveUser, newLiveUser, until } from "./user.ts";

const ASK = 'ask Bash {"command":"make deploy"} ; say done';
const QUESTION = "question Which cluster? staging | production ; say chosen";
const DETACH = "\u001c";

test("top shows who asks first, with the question, and Ctrl-C gives the terminal back as it was", async () => {
  await using user = newLiveUser();
  await waiting(user, "chat");
  await waiting(user, "deploy", ASK);
  const shell = `"$0" "$1" top; echo "left with $?"; stty -a | tr ' ' '\\n' | grep icanon`;
  await using terminal = await openTerminal(["sh", "-c", shell, process.execPath, LAUNCHER], at(user));
  await terminal.shows("rollcall  2 live, 1 asks you, 1 at a prompt");
  expect(terminal.isAlternate).toBe(true);
  expect(rowsOf(terminal)).toEqual(["deploy", "chat"]);
  await terminal.shows(
    /▸.*deploy[\s\S]*Bash \{"command":"make deploy"\}\n.*rollcall approve deploy or rollcall deny deploy/,
  );
  terminal.press("\u0003");
  await terminal.shows(/left with 0\nicanon$/);
  expect(terminal.isAlternate).toBe(false);
});

test.each([
  ["q", (terminal: Terminal) => terminal.press("q"), 0],
  ["SIGTERM", (terminal: Terminal) => process.kill(terminal.pid, "SIGTERM"), 143],
  ["SIGHUP", (terminal: Terminal) => process.kill(terminal.pid, "SIGHUP"), 129],
  ["SIGINT", (terminal: Terminal) => process.kill(terminal.pid, "SIGINT"), 130],
])("top leaves by %s with the terminal restored", async (_, leave, code) => {
  await using user = newLiveUser();
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows("No live sessions.");
  leave(terminal);
  expect((await terminal.exit).agent.code).toBe(code);
  await terminal.hasSent("\u001b[?25h\u001b[?1049l");
  expect(terminal.isAlternate).toBe(false);
});

test("top leaves when its terminal is closed, and when it is told to while a session is attached", async () => {
  await using user = newLiveUser();
  await waiting(user, "chat");
  await using closed = await rollcallAt(user, ["top"]);
  await closed.shows(/▸.*chat/);
  await closed.hangUp();
  await gone(closed.pid);
  await using attached = await rollcallAt(user, ["top"]);
  await attached.shows(/▸.*chat/);
  attached.press("\r");
  await attached.shows("Scripted agent");
  process.kill(attached.pid, "SIGTERM");
  expect((await attached.exit).agent.code).toBe(143);
  expect(attached.isAlternate).toBe(false);
  expect((await user.get("chat")).state).toBe("waiting_input");
});

test("a approves, a number answers, and e ends after a yes", async () => {
  await using user = newLiveUser();
  await waiting(user, "deploy", ASK);
  await waiting(user, "planner", QUESTION);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*deploy/);
  terminal.press("a");
  await terminal.shows("Approved in deploy.");
  await terminal.shows(/planner +waiting[^\n]*\n[^\n]*deploy/);
  terminal.press("g");
  await terminal.shows(/▸.*planner/);
  terminal.press("7");
  await terminal.shows("planner offers no choice 7.");
  terminal.press("2");
  await terminal.shows("Answered planner: production.");
  terminal.press("e");
  await terminal.shows("End planner and all its processes? y/n");
  terminal.press("n");
  await terminal.shows(/1-9 answer {2}s send {2}e end$/);
  expect((await user.get("planner")).status).toBe("active");
  terminal.press("ey");
  await terminal.shows("planner has ended; no process is left.");
  await terminal.shows(/planner +stopped/);
});

test("e never says that a session has ended when that could not be proven", async () => {
  await using user = newLiveUser();
  const session = await user.start(["--name", "clock", "--", "sleep", "1000"]);
  using _ = holdTerminal(session);
  for (const name of ["end.grace", "end.proof"]) await user.ok(["config", "set", name, "1ms"]);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*clock/);
  terminal.press("e");
  await terminal.shows("y/n");
  terminal.press("y");
  await terminal.shows(/still has a process|no process is left/);
  expect(terminal.text).not.toContain("no process is left");
  for (const name of ["end.grace", "end.proof"]) await user.ok(["config", "unset", name]);
});

test("d denies, and a key that fits nothing says so and sends nothing", async () => {
  await using user = newLiveUser();
  await waiting(user, "chat");
  await waiting(user, "deploy", ASK);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*deploy/);
  terminal.press("j");
  await terminal.shows(/▸.*chat/);
  terminal.press("a");
  await terminal.shows("chat asks for no permission.");
  terminal.press("\u001b[A");
  await terminal.shows(/▸.*deploy/);
  terminal.press("d");
  await terminal.shows("Denied in deploy.");
  expect((await user.ok(["data", "deploy"])).stdout).toContain("Bash was denied");
});

test("Enter attaches, the detach key comes back, and n goes to who asks before who waits at a prompt", async () => {
  await using user = newLiveUser();
  await waiting(user, "chat");
  await waiting(user, "deploy", ASK);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*deploy/);
  terminal.press("j\r");
  await terminal.shows("Scripted agent");
  terminal.press("say from inside\r");
  await terminal.shows("from inside");
  terminal.press(DETACH);
  await terminal.shows(/rollcall {2}2 live/);
  terminal.press("n");
  await terminal.shows(/Allow Bash/);
  terminal.press("y");
  terminal.press(DETACH);
  await terminal.shows(/rollcall {2}2 live, 2 at a prompt/);
});

test("a second a stays with the session that was answered and approves no other request", async () => {
  await using user = newLiveUser();
  await waiting(user, "first", 'ask Bash {"command":"make deploy"} ; work 1h');
  await waiting(user, "second", 'ask Bash {"command":"rm -rf /"} ; say gone');
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*first/);
  terminal.press("a");
  await terminal.shows("Approved in first.");
  await terminal.shows(/second +waiting[^\n]*\n[^\n]*▸[^\n]*first/);
  terminal.press("a");
  await terminal.shows("first asks for no permission.");
  expect((await user.get("second")).waiting).toMatchObject({ for: "permission" });
});

test("s writes a text for the selected session: Enter sends it, Esc leaves, and a paste is no key", async () => {
  await using user = newLiveUser();
  await waiting(user, "chat");
  await waiting(user, "deploy", ASK);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*deploy/);
  terminal.press("\u001b[200~a\rq\u001b[201~j");
  await terminal.shows(/▸.*chat/);
  terminal.press("sjunk");
  await terminal.shows("Send to chat: junk▏");
  terminal.press("\u001b");
  await terminal.shows(/q quit/);
  terminal.press("ssay 日本q\u007f\r");
  await terminal.shows("Sent to chat.");
  await until(async () => (await user.ok(["data", "chat"])).stdout.includes("日本"), "its answer");
  expect((await user.ok(["data", "chat"])).stdout).not.toContain("junk");
  expect((await user.get("deploy")).waiting).toMatchObject({ for: "permission" });
});

test("a text that is typed where s was refused approves, denies and ends nothing", async () => {
  await using user = newLiveUser();
  await waiting(user, "chat");
  await waiting(user, "deploy", ASK);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*deploy/);
  terminal.press("sadd it, then deploy\u001b[200~yes\u001b[201~");
  await terminal.shows("deploy asks something: answer that first. Esc goes back.");
  terminal.press("\u001bj");
  await terminal.shows(/▸.*chat/);
  expect(terminal.raw).not.toMatch(/Approving|Denying|y\/n/);
  expect((await user.get("deploy")).waiting).toMatchObject({ for: "permission" });
});

test("? shows what the keys do, and any key goes back", async () => {
  await using user = newLiveUser();
  await waiting(user, "deploy", ASK);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*deploy/);
  terminal.press("?");
  await terminal.shows("Any key goes back.");
  terminal.press("a");
  await terminal.shows(/▸.*deploy/);
  expect((await user.get("deploy")).waiting).toMatchObject({ for: "permission" });
});

test("top shows what a session does now as it changes, without an event of it", async () => {
  await using user = newLiveUser();
  await user.start(["--name", "build", "--", "sh", "-c", "echo one; read x; echo two; sleep 1000"]);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/build.* one/);
  await user.ok(["send", "build", "go"]);
  await terminal.shows(/build.* two/);
});

test("top shows tokens and cost that move while a session runs", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "spend 1000 20", "--name", "spender", "--model", "claude-sonnet-4-5"]);
  await using terminal = await rollcallAt(user, ["top"], { cols: 120 });
  // The first request has 2050 tokens, each further one as many as it finds in the cache besides.
  const shown = () =>
    /spender +running.* (?<tokens>[\d.]+k?) +\$(?<cost>[\d.]+)$/m.exec(terminal.text)?.groups;
  await until(() => shown() !== undefined, "tokens and cost in a row of top");
  const first = shown();
  await until(() => Number(shown()?.cost ?? 0) > Number(first?.cost), "a higher cost");
  expect(shown()?.tokens).not.toBe(first?.tokens);
  expect(await user.get("spender")).toMatchObject({ state: "running" });
});

test("the bell rings when a session begins to wait and when one ends, not for what was so before", async () => {
  await using user = newLiveUser();
  await waiting(user, "deploy", ASK);
  await user.start(["--name", "nap", "--", "sleep", "1000"]);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/▸.*deploy/);
  await user.start(["scripted", "--name", "idle"]);
  await terminal.shows(/idle +waiting_input/);
  expect(terminal.raw).not.toContain("\u0007");
  await waiting(user, "planner", QUESTION);
  await terminal.hasSent("\u0007");
  const sofar = terminal.raw.length;
  await user.ok(["end", "nap"]);
  await terminal.hasSent("\u0007", sofar);
  await terminal.shows(/nap +stopped[^\n]+interrupted/);
});

test("top starts the daemon, says plainly when it does not run, goes on without it, and sees it come back", async () => {
  await using user = newLiveUser();
  await user.create("--id", "by-hand", "--no-file");
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows(/1 live/);
  await until(() => !terminal.text.includes("DAEMON"), "the daemon to be seen");
  await user.killDaemon();
  await terminal.shows("THE DAEMON DOES NOT RUN");
  await user.ok(["up"]);
  await until(() => !terminal.text.includes("DAEMON"), "the daemon to be seen again");
});

test("top fits its terminal before and after a resize, and keeps the selected row in sight", async () => {
  await using user = newLiveUser();
  const records = Array.from({ length: 60 }, (_, number) => ({
    id: `s${10 + number}`,
    goal: "long ".repeat(60),
  }));
  await user.upsert(...records);
  await using terminal = await rollcallAt(user, ["top"], { cols: 120, rows: 40 });
  await terminal.shows(/60 live/);
  terminal.press("G");
  await terminal.shows(/▸ {2}s69/);
  await terminal.shows("60 of 60");
  terminal.resize(50, 12);
  await until(() => widthOf(terminal) <= 50, "lines of fifty columns");
  await terminal.shows(/▸ {2}s69/);
  expect(terminal.text.split("\n")).toHaveLength(12);
});

test("text of agents and users cannot act on the terminal", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "evil", "--goal", "x\u001b]0;owned\u0007\u001b[2Jy", "--no-file"]);
  await using terminal = await rollcallAt(user, ["top"], { cols: 120 });
  await terminal.shows("x\\u001b]0;owned\\u0007");
  expect(terminal.raw).not.toContain("\u001b]0;owned");
});

test("top starts no process of its own and writes nothing while nothing changes", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  await using terminal = await rollcallAt(user, ["top"]);
  await terminal.shows("No live sessions.");
  const before = terminal.raw.length;
  await user.create("--id", "by-hand", "--no-file");
  await terminal.shows("by-hand");
  expect(terminal.raw.slice(before).split("\u001b[?2026h").length).toBeLessThanOrEqual(4);
  expect(readFileSync(`/proc/${terminal.pid}/task/${terminal.pid}/children`, "utf8")).toBe("");
});

test("without a terminal top is refused in one sentence, and --json is the roll once", async () => {
  await using user = newLiveUser();
  await waiting(user, "deploy", ASK);
  const refused = await user.rollcall(["top"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^rollcall: `rollcall top` needs a terminal\..*\n$/);
  const { json } = await user.ok(["top", "--json"]);
  expect(json.sessions).toMatchObject([{ name: "deploy", waiting: { tool: "Bash" } }]);
  // Its last output and its samples may come between the two.
  const areSame = async () =>
    isDeepStrictEqual((await user.ok(["top", "--json"])).json, (await user.ok(["--json"])).json);
  await until(areSame, "top to say what the roll says");
});

/** A scripted agent that waits: with a text, for what the text makes it ask; without, at its prompt. */
async function waiting(user: LiveUser, name: string, prompt?: string): Promise<void> {
  await user.start(["scripted", "--name", name, ...(prompt === undefined ? [] : ["--prompt", prompt])]);
  await until(async () => isThere(await user.get(name), prompt !== undefined), `${name} to wait`);
}

function isThere({ state, waiting }: Shown, asks: boolean): boolean {
  const what = (waiting as { for?: string } | null)?.for;
  return state === "waiting_input" && asks === (what !== "prompt");
}

function at(user: LiveUser): { env: LiveUser["env"]; cwd: string } {
  return { env: user.env, cwd: user.workspace };
}

/** The names in the table, from above. */
function rowsOf({ text }: Terminal): string[] {
  return text.split("\n").flatMap((line) => /^[▸ ] {2}[0-9a-f]{6} {2}(\S+)/.exec(line)?.[1] ?? []);
}

function widthOf({ text }: Terminal): number {
  return Math.max(...text.split("\n").map((line) => line.length));
}
