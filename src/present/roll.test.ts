import { describe, expect, test } from "vitest";
import type { SessionRecord } from "../domain/session/session.ts";
import { ago, NOW, shownSession, waitingFor } from "../testing/records.ts";
import { describeRoll } from "./roll.ts";
import { endedLately, listOrder, rollOrder } from "./roll-order.ts";
import { widthOf } from "./text.ts";

const id = (digits: string) => `session-20260108-180000-${digits}`;
const QUESTIONS = {
  questions: [
    { question: "Which cluster?", options: [{ label: "staging" }, { label: "production" }] },
    { question: "When?", options: [{ label: "now" }, { label: "tonight" }, { label: "never" }] },
  ],
};
const REGIONS = {
  questions: [{ question: "Where?", options: [{ label: "north" }, { label: "south" }], multiSelect: true }],
};

const FLEET: readonly SessionRecord[] = [
  shownSession({
    ...waitingFor("permission", { tool: "Bash", input: { command: "rm -rf build" } }),
    ...{ id: id("aaaaaa"), name: "deploy", agentType: "claude", model: "claude-sonnet-5" },
    ...{ workspacePath: "/home/me/api", gitBranch: "main", about: "Roll out version 2" },
  }),
  shownSession({
    ...waitingFor("question", { question: "Which cluster?\nWhen?", input: QUESTIONS }),
    ...{ id: id("bbbbbb"), name: "planner" },
  }),
  shownSession({ ...waitingFor("prompt"), ...failedTurn("API Error: 400"), id: id("cccccc"), name: "chat" }),
  shownSession({
    ...{ id: id("dddddd"), name: "日本語の名前🙂", workspacePath: "/", about: "Write the notes" },
    activity: { text: "Read CHANGELOG.md", tool: "Read", at: ago(2) },
  }),
  shownSession({ id: id("eeeeee"), name: "rest", state: "paused" }),
  shownSession({
    ...{ ...waitingFor("prompt"), id: id("ffffff"), origin: "observed", name: null },
    process: { pid: 4242, startTime: "1", bootId: "b" },
  }),
];

function failedTurn(error: string | null): Partial<SessionRecord> {
  const times = { beganAt: ago(50), endedAt: ago(40) };
  return { turn: { number: 1, state: "done", outcome: "failure", error, ...times } };
}

function openTurn(secondsAgo: number): SessionRecord["turn"] {
  const times = { beganAt: ago(secondsAgo), endedAt: null };
  return { number: 2, state: "running", outcome: null, error: null, ...times };
}

function roll(sessions: readonly SessionRecord[], width: number, terminals?: ReadonlyMap<string, string>) {
  const paint = (_: unknown, text: string) => text;
  return describeRoll(rollOrder(sessions), { width, now: NOW, paint, ...(terminals && { terminals }) });
}

describe("the roll", () => {
  test.each([40, 60, 80, 100, 120, 200])("fits %i columns, whatever the names are", (width) => {
    const long = FLEET.map((session) => ({ ...session, name: `${session.name}-${"長い名前".repeat(9)}` }));
    const lines = [...roll(FLEET, width).split("\n"), ...roll(long, width).split("\n")];
    const commands = lines.filter((line) => /^ +rollcall /.test(line));
    const others = lines.filter((line) => !commands.includes(line));
    expect(others.filter((line) => widthOf(line) > Math.max(width, 52))).toEqual([]);
  });

  test.each([
    [60, "ID NAME STATE AGE NOW"],
    [80, "ID NAME STATE AGE WHERE NOW"],
    [120, "ID NAME STATE AGE WHERE NOW AGENT TOKENS COST"],
    [200, "ID NAME STATE AGE WHERE NOW ABOUT AGENT TURNS TOKENS COST"],
  ])("at %i columns shows %s", (width, titles) => {
    expect(roll(FLEET, width).split("\n")[2]?.split(/ +/).join(" ")).toBe(titles);
  });

  test("shows a phase only where one was declared", () => {
    expect(roll(FLEET, 200)).not.toContain("PHASE");
    expect(roll([shownSession({ phase: "planning" }), ...FLEET], 200)).toMatch(/PHASE[\s\S]* planning /);
  });

  test("shows every question that is asked at once, with its choices and how to answer them all", () => {
    expect(roll(FLEET, 80)).toContain(`
    Which cluster?
    1) staging   2) production
    When?
    1) now   2) tonight   3) never
    rollcall answer planner 1-2 1-3
`);
  });

  test("says why the last turn failed", () => {
    expect(roll(FLEET, 80)).toMatch(
      /chat .*failed: API Error: 400\n {4}Its last turn failed: API Error: 400\n/,
    );
  });

  test.each(["dialog", "login"] as const)(
    "offers only the end where a session without a terminal is stuck at a %s",
    (what) => {
      const asked = waitingFor(what, { question: "The agent refused session/new." });
      const shown = roll([shownSession({ ...asked, name: "stuck", kind: "acp" })], 80);
      expect(shown).toContain("refused session/new.\n    rollcall end stuck\n");
    },
  );

  test("tells a paused session to go on", () => {
    expect(roll(FLEET, 80)).toMatch(/rest .*paused.*\n {4}rollcall continue rest\n/);
  });

  test("marks a session outside with its terminal, else its pid, and gives no command for it", () => {
    expect(roll(FLEET, 120)).toMatch(/outside pid 4242 .*\n {4}Answer it where it runs \(pid 4242\)\.\n/);
    expect(roll(FLEET, 120, new Map([[id("ffffff"), "pts/3"]]))).toMatch(
      /outside pts\/3 .*\n.*\(pts\/3\)\.\n/,
    );
    expect(roll(FLEET, 120)).not.toMatch(/rollcall \w+ ffffff/);
  });
});

describe("the age of a session", () => {
  const activity = { text: "x", tool: null, at: ago(3) };
  test.each([
    ["since it waits", { ...waitingFor("prompt"), activity }, "30s"],
    ["since its activity while it runs", { activity, stateSince: ago(600) }, "3s"],
    [
      "since its turn began where nothing was seen of that yet",
      { activity: { ...activity, at: ago(600) }, turn: openTurn(5) },
      "5s",
    ],
    ["since its end", { state: "failed", endedAt: ago(200), activity } as const, "3m"],
    ["since it is paused", { state: "paused", stateSince: ago(90), activity } as const, "1m"],
  ])("counts %s", (_, fields, age) => {
    const row = roll([shownSession({ name: "n", ...fields })], 80).split("\n")[3];
    expect(row?.split(/ +/)[3]).toBe(age);
  });
});

describe("a session of which nothing can be known", () => {
  const silent = shownSession({ name: "slow", state: "unknown", endReason: "not_ready" });

  test("is counted as unknown, and not as ended", () => {
    const stopped = shownSession({ id: id("999999"), state: "stopped", endedAt: ago(20) });
    const sessions = [shownSession({ id: id("888888") }), silent, stopped];
    expect(roll(sessions, 80)).toMatch(/^1 live session, 1 unknown, 1 ended$/m);
  });

  test("names the command that explains it while its process may still show something", () => {
    expect(roll([silent], 80)).toContain("\n    rollcall explain slow\n");
    expect(roll([{ ...silent, endReason: "machine_reboot" }], 80)).not.toContain("explain");
  });
});

describe("a session that ended", () => {
  test.each([
    ["by its exit code", { state: "failed", exitCode: 1 } as const, "exit 1"],
    [
      "by its exit code in mid-turn",
      {
        ...({ state: "failed", exitCode: 1 } as const),
        ...failedTurn(null),
      },
      "exit 1",
    ],
    ["by a signal", { state: "failed", exitSignal: "SIGSEGV", outcome: "failure" } as const, "SIGSEGV"],
    ["by its user", { state: "stopped", exitCode: 143, outcome: "interrupted" } as const, "interrupted"],
    ["by a time-out", { state: "stopped", endReason: "timeout", exitCode: 143 } as const, "timeout"],
    ["well", { state: "stopped", outcome: "success", exitCode: 0 } as const, "success"],
    [
      "with a failed turn",
      { state: "stopped", outcome: "failure", ...failedTurn("400") } as const,
      "failure: 400",
    ],
    [
      "with a text that it did not take",
      { state: "stopped", outcome: "failure", ...failedTurn("not_delivered") } as const,
      "failure: the text was not delivered",
    ],
    ["unseen", { state: "unknown", endReason: "machine_reboot" } as const, "machine restarted"],
    ["silent", { state: "unknown", endReason: "not_ready" } as const, "nothing seen since its start"],
  ])("is shown with its reason: %s", (_, fields, reason) => {
    const activity = { text: "last words", tool: null, at: ago(3) };
    const session = shownSession({ name: "n", about: null, activity, endedAt: ago(20), ...fields });
    expect(roll([session], 120)).toContain(`${reason}: last words`);
  });

  test("stays for ten minutes, the newest first", () => {
    const ended = [700, 20, 300].map((seconds) =>
      shownSession({ state: "stopped", endedAt: ago(seconds), name: String(seconds) }),
    );
    expect(endedLately([shownSession(), ...ended], NOW).map(({ name }) => name)).toEqual(["20", "300"]);
  });
});

test("the roll says where a question takes more than one choice", () => {
  const asked = waitingFor("question", { question: "Where?", options: ["north", "south"], input: REGIONS });
  const shown = roll([shownSession({ ...asked, name: "planner" })], 80);
  expect(shown).toContain("Where? (one or more)\n    1) north   2) south\n    rollcall answer planner 1-2,…");
});

describe("the sub-agents of a session", () => {
  const used = (tokensTotal: number, costUsd: number) => ({ ...shownSession().usage, tokensTotal, costUsd });
  const parent = shownSession({
    ...{ id: id("aaaaaa"), name: "deploy", usage: used(1000, 0.25), usageWithChildren: used(3000, 1) },
  });
  const helper = shownSession({
    ...{ id: id("bbbbbb"), parentId: parent.id, origin: "subagent", agentName: "Explore" },
    ...{ usage: used(2000, 0.75), usageWithChildren: used(2000, 0.75) },
  });

  test("stand below it with their part as the name, and its row has its own use and that of all", () => {
    const [, , , first, second] = roll([helper, parent], 160).split("\n");
    expect(first).toMatch(/deploy.*1000 \(all 3000\).*\$0\.25 \(all \$1\.00\)/);
    expect(second).toMatch(/└ Explore.*2000.*\$0\.75/);
  });

  test("stand below it in a list, too, which keeps its order otherwise", () => {
    const other = shownSession({ ...waitingFor("prompt"), id: id("cccccc") });
    const rows = listOrder([helper, other, parent]).map(({ session, depth }) => [session.id, depth]);
    expect(rows).toEqual([
      [other.id, 0],
      [parent.id, 0],
      [helper.id, 1],
    ]);
  });

  test("leave the roll when they are done", () => {
    const done = { ...helper, state: "stopped", endedAt: ago(5) } as const;
    expect(endedLately([done, { ...done, origin: "started" }], NOW)).toHaveLength(1);
  });
});
