import { expect, test } from "vitest";
import { LAUNCHER } from "../cli/rollcall.ts";
import { atPrompt, turn } from "./scripted.ts";
import { openTerminal, rollcallAt, type Terminal } from "./top-terminal.ts";
import { type LiveUser, newLiveUser } from "./user.ts";

/** Acts on a terminal that gets it as it is: clipboard, title, a query, mouse reports, pasting. */
const HOSTILE =
  "\\033]52;c;aGVsbG8=\\007\\033]0;owned\\007\\033[c\\033[6n\\033[?1000h\\033[?2004h\\033[31mred\\033[0m\\n";

/** A session that printed this and has ended. */
async function printed(user: LiveUser, text: string): Promise<string> {
  const { id } = await user.start(["--name", "shown", "--", "printf", text]);
  await user.reach(id, "stopped");
  return id;
}

function at(user: LiveUser) {
  return { env: user.env, cwd: user.workspace };
}

test("replay shows what the terminal showed, and q gives the terminal back as it was", async () => {
  await using user = newLiveUser();
  const id = await printed(user, "one\\ntwo\\n");
  const shell = `"$0" "$1" replay "$2"; echo "left with $?"; stty -a | tr ' ' '\\n' | grep icanon`;
  await using terminal = await openTerminal(["sh", "-c", shell, process.execPath, LAUNCHER, id], at(user));
  await terminal.shows(/^one\ntwo\n/);
  await terminal.shows(/■ 00:0\d \/ 00:0\d {2}1x {2}shown/);
  expect(terminal.isAlternate).toBe(true);
  terminal.press("q");
  await terminal.shows(/left with 0\nicanon$/);
  expect(terminal.isAlternate).toBe(false);
});

test.each([
  ["Ctrl-C", (terminal: Terminal) => terminal.press("\u0003"), 0],
  ["SIGTERM", (terminal: Terminal) => process.kill(terminal.pid, "SIGTERM"), 143],
  ["SIGINT", (terminal: Terminal) => process.kill(terminal.pid, "SIGINT"), 130],
])("replay leaves by %s with the terminal restored", async (_, leave, code) => {
  await using user = newLiveUser();
  const id = await printed(user, "one\\n");
  await using terminal = await rollcallAt(user, ["replay", id]);
  await terminal.shows("■");
  leave(terminal);
  expect((await terminal.exit).agent.code).toBe(code);
  await terminal.hasSent("\u001b[?25h\u001b[?1049l");
});

test("replay lets nothing of a recording act on the terminal but its text and colours", async () => {
  await using user = newLiveUser();
  const id = await printed(user, HOSTILE);
  await using terminal = await rollcallAt(user, ["replay", id]);
  await terminal.shows(/^red\n/);
  await terminal.shows("■");
  terminal.press("q");
  await terminal.exit;
  expect(terminal.raw).toContain("\u001b[0;31mred");
  for (const sequence of ["\u001b]", "\u001b[c", "\u001b[6n", "\u001b[?1000h", "owned", "aGVsbG8"])
    expect(terminal.raw).not.toContain(sequence);
});

test("replay pauses, goes from marker to marker and to either end, and changes its speed", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say first");
  await turn(user, id, "say second");
  await user.ok(["end", id]);
  // So slow that it stands still for as long as a test takes.
  await using terminal = await rollcallAt(user, ["replay", id, "--speed", "0.001"]);
  await terminal.shows(/▶ 00:00 \/ \d\d:\d\d/);
  terminal.press(" ");
  await terminal.shows("‖ 00:00");
  terminal.press("]");
  await terminal.shows("turn 1");
  terminal.press("]");
  await terminal.shows("turn 2");
  expect(terminal.text).toContain("first");
  expect(terminal.text).not.toContain("second");
  terminal.press("[");
  await terminal.shows("turn 1");
  expect(terminal.text).not.toContain("first");
  terminal.press("\u001b[F");
  await terminal.shows(/second[\s\S]*■/);
  terminal.press("\u001b[D".repeat(20));
  await terminal.shows("‖ 00:00");
  terminal.press("\u001b[C".repeat(20));
  await terminal.shows("■");
  terminal.press("+");
  await terminal.shows("0.25x");
  terminal.press("++");
  await terminal.shows("1x");
  terminal.press("-");
  await terminal.shows("0.5x");
  terminal.press("q");
  expect((await terminal.exit).agent.code).toBe(0);
});

test("replay --from a turn begins there", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say first");
  await turn(user, id, "say second");
  await user.ok(["end", id]);
  await using terminal = await rollcallAt(user, ["replay", id, "--from", "turn:2", "--speed", "0.001"]);
  await terminal.shows("turn 2");
  expect(terminal.text).toContain("first");
  expect(terminal.text).not.toContain("second");
  terminal.press("q");
  expect((await terminal.exit).agent.code).toBe(0);
});

test("replay of a session without a terminal plays its transcript, and in a pipe prints text", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["scripted", "--kind", "autonomous", "say hello there"]);
  await user.reach(id, "stopped");
  await using terminal = await rollcallAt(user, ["replay", id]);
  await terminal.shows(/assistant\nhello there/);
  terminal.press("q");
  expect((await terminal.exit).agent.code).toBe(0);
  expect((await user.ok(["replay", id])).stdout).toContain("hello there\n");
});

test("replay --json gives the length and the markers, by their events", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say one");
  await user.ok(["end", id]);
  const { json } = await user.ok(["replay", id, "--json"]);
  expect(json).toMatchObject({ session_id: id, source: "recording", duration_ms: expect.any(Number) });
  const events = (await user.ok(["events", id, "--json"])).stdout.trimEnd().split("\n");
  const { id: eventId, seq } = events
    .map((line) => JSON.parse(line))
    .find(({ kind }) => kind === "turn_began");
  expect(json.markers).toEqual([
    { ms: expect.any(Number), kind: "turn", title: "turn 1", event_id: eventId, seq },
  ]);
});

test.each([
  [["--speed", "0"], 2, /not a speed/],
  [["--speed", "fast"], 2, /not a speed/],
  [["--idle-limit", "long"], 2, /not a duration/],
  [["--from", "lunch"], 2, /not a place/],
  [["--from", "turn:9"], 2, /no turn 9/],
  [["--from", "entry:99"], 2, /no entry 99/],
])("replay refuses %j", async (args, code, message) => {
  await using user = newLiveUser();
  const id = await printed(user, "one\\n");
  const refused = await user.rollcall(["replay", id, ...args]);
  expect([refused.code, refused.stdout]).toEqual([code, ""]);
  expect(refused.stderr).toMatch(message);
});

test("replay of a record of which nothing was kept says so", async () => {
  await using user = newLiveUser();
  const id = await user.create();
  const refused = await user.rollcall(["replay", id, "--json"]);
  expect(refused).toMatchObject({ code: 4, error: { code: "not_offered" } });
});
