import { describe, expect, test } from "vitest";
import { matchScreen } from "../../../domain/screen/screen-rules.ts";
import { screenFixture } from "../../../testing/agents/screen-fixtures.ts";
import { TARGET } from "../../../testing/agents/target.ts";
import { type Deed, keysIn } from "../../deed.ts";
import { asks, one, permission, request } from "../requests-bench.ts";
import { controls } from "./controls.ts";

const terminal = TARGET;
const BASH = permission("Bash", { command: "touch 'a b'.txt && echo (done)" });
const WRITE = permission("Write", { file_path: "/project/w.txt", content: "x" });
const PLAN = permission("ExitPlanMode", { plan: "# Plan" });
const TRUST = request({ for: "trust" });
const QUESTION = asks(one("Which (of these)?", ["A", "B"]));

const keys = (deed: Deed | undefined) => (deed?.via === "keys" ? keysIn(deed) : undefined);
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

describe("Claude at a terminal", () => {
  test.each([
    ["say", controls.say(terminal, "a\nb\x1b[201~"), [paste("a\nb[201~"), "\r"]],
    ["say what ends in a backslash", controls.say(terminal, "a\\"), [paste("a\\ "), "\r"]],
    ["say a command", controls.say(terminal, "/model opus"), [paste("/model opus"), "\r"]],
    ["interrupt", controls.interrupt(terminal), ["\x1b"]],
    ["approve", controls.approve(terminal, BASH), ["1"]],
    ["approve for good", controls.approveAlways?.(terminal, BASH), ["2"]],
    ["approve a plan for good, which is not offered", controls.approveAlways?.(terminal, PLAN), undefined],
    ["approve a plan, and go on asking", controls.approve(terminal, PLAN), ["2"]],
    ["trust", controls.approve(terminal, TRUST), ["\x1b[B", "\r"]],
    ["deny", controls.deny(terminal, BASH, null), ["\x1b"]],
    [
      "deny with a reason",
      controls.deny(terminal, BASH, "no\nnot"),
      ["\x1b[A", "\t", paste("no\nnot"), "\r"],
    ],
    ["deny a plan", controls.deny(terminal, PLAN, "more tests"), ["3", paste("more tests"), "\r"]],
    ["not trust", controls.deny(terminal, TRUST, null), ["\x1b"]],
    ["answer by number", controls.answer(terminal, QUESTION, "2"), ["2"]],
    ["answer by label", controls.answer(terminal, QUESTION, "B"), ["2"]],
    ["answer freely", controls.answer(terminal, QUESTION, "neither"), ["3", paste("neither"), "\r"]],
    [
      "answer with several",
      controls.answer(terminal, asks(one("Which ones?", ["A", "B", "C"], true)), "1, C"),
      ["1", "3", "\x1b[C", "1"],
    ],
    [
      "answer several",
      controls.answer(terminal, asks(one("Which?", ["A", "B"]), one("And?", ["C", "D"], true)), "x\n2"),
      ["3", paste("x"), "\r", "2", "\x1b[C", "1"],
    ],
  ])("%s", (_, pressed, expected) => {
    expect(keys(pressed)?.map(({ bytes }) => bytes)).toEqual(expected);
  });

  test("there is no polite stop but a signal", () => {
    expect(controls.stop(terminal)).toBeUndefined();
  });
});

describe("a dialog of Claude is answered only when it is on the screen", () => {
  const isShown = (deed: Deed | undefined, name: string) => {
    const rule = { name: "x", says: "waiting", pattern: keys(deed)?.[0]?.onScreen ?? "^never$" } as const;
    return matchScreen([rule], screenFixture("claude", name)) !== undefined;
  };
  const LINES = permission("Bash", { command: "echo 1\necho 2 > /tmp/x1\ntouch /tmp/yy" });
  const LONG = permission("Bash", {
    command: Array.from({ length: 60 }, (_, i) => `touch f${i}`).join("\n"),
  });
  const FETCH = permission("WebFetch", { url: "http://example.com/x?y=1", prompt: "what" });
  const MULTIPLE = asks(one("Which ones?", ["A", "B", "C"], true));
  const SEVERAL = asks(one("Which?", ["A", "B"]), one("And?", ["C", "D"], true));

  test.each([
    ["permission-bash", controls.approve(terminal, BASH)],
    ["permission-bash", controls.deny(terminal, BASH, null)],
    ["permission-bash", controls.deny(terminal, BASH, "no")],
    ["permission-bash", controls.approve(terminal, request({ for: "permission" }))],
    ["permission-bash-lines", controls.approve(terminal, LINES)],
    ["permission-bash-long", controls.approve(terminal, LONG)],
    ["permission-write", controls.approve(terminal, WRITE)],
    ["permission-fetch", controls.approve(terminal, FETCH)],
    ["permission-mcp", controls.approve(terminal, permission("mcp__thing__poke", { where: "here" }))],
    ["plan", controls.approve(terminal, PLAN)],
    ["plan", controls.deny(terminal, PLAN, "more")],
    ["trust", controls.approve(terminal, TRUST)],
    ["trust", controls.deny(terminal, TRUST, null)],
    ["question", controls.answer(terminal, QUESTION, "1")],
    ["question-multiple", controls.answer(terminal, MULTIPLE, "1")],
    ["questions", controls.answer(terminal, SEVERAL, "1\n1")],
  ])("%s", (name, pressed) => {
    expect(isShown(pressed, name)).toBe(true);
  });

  test.each([
    [
      "another command",
      "permission-bash",
      controls.approve(terminal, permission("Bash", { command: "touch x" })),
    ],
    ["a command that is only mentioned", "permission-write", controls.approve(terminal, BASH)],
    [
      "another file",
      "permission-write",
      controls.approve(terminal, permission("Write", { file_path: "/v.txt" })),
    ],
    ["a permission", "running", controls.approve(terminal, request({ for: "permission" }))],
    [
      "a permission that is a question",
      "question",
      controls.approve(terminal, request({ for: "permission" })),
    ],
    ["a plan that would stop asking", "permission-bash", controls.approve(terminal, PLAN)],
    ["trust, where the cursor stands elsewhere", "trust-yes", controls.approve(terminal, TRUST)],
    ["another question", "question", controls.answer(terminal, asks(one("What?", ["A", "B"])), "1")],
    ["a reason where there is no place for one", "permission-fetch", controls.deny(terminal, FETCH, "no")],
  ])("and not where it is %s", (_, name, pressed) => {
    expect(isShown(pressed, name)).toBe(false);
  });

  test("though a secret was taken out of what it asks for", () => {
    const hidden = permission("Bash", { command: "touch 'a b'[REDACTED:value] && x" });
    expect(isShown(controls.approve(terminal, hidden), "permission-bash")).toBe(true);
  });
});

describe("a choice at a dialog of Claude is refused", () => {
  test.each([
    [QUESTION, "3"],
    [QUESTION, "0"],
    [QUESTION, ""],
    [asks(one("Which ones?", ["A", "B"], true)), "A, C"],
    [asks(one("Which?", ["A"]), one("And?", ["B"])), "A"],
  ])("%o by %j", (question, choice) => {
    expect(() => controls.answer(terminal, question, choice)).toThrow(
      expect.objectContaining({ code: "bad_input", hint: expect.any(String) }),
    );
  });
});

describe("Claude at a terminal has nothing to press", () => {
  test.each([
    ["approve a question", controls.approve(terminal, QUESTION)],
    ["approve a login", controls.approve(terminal, request({ for: "login" }))],
    ["deny a dialog", controls.deny(terminal, request({ for: "dialog" }), null)],
    ["answer a permission", controls.answer(terminal, BASH, "A")],
    ["answer a dialog", controls.answer(terminal, request({ for: "dialog" }), "1")],
    ["answer what nobody told the options of", controls.answer(terminal, request({ for: "question" }), "1")],
  ])("to %s", (_, pressed) => {
    expect(pressed).toBeUndefined();
  });
});

test.each([
  ["permission-bash-lines", permission("Bash", { command: "echo 1\necho 2 > /tmp/x1\ntouch /tmp/yy" }), true],
  ["permission-bash-prefix", permission("Bash", { command: "python3 -c 1" }), true],
  ["permission-bash-folder", permission("Bash", { command: "touch one" }), false],
  ["permission-bash-long", permission("Bash", { command: "touch f0\n".repeat(60) }), true],
  ["permission-fetch", permission("WebFetch", { url: "http://example.com/x?y=1" }), true],
  ["permission-mcp", permission("mcp__thing__poke"), true],
  ["permission-bash", BASH, false],
  ["permission-write", WRITE, false],
])("a lasting yes in %s is offered only by its own words", (name, asked, isOffered) => {
  const shows = (deed: Deed | undefined) =>
    new RegExp(keys(deed)?.[0]?.onScreen ?? "$^", "mu").test(screenFixture("claude", name));
  expect(shows(controls.approve(terminal, asked))).toBe(true);
  expect(shows(controls.approveAlways?.(terminal, asked))).toBe(isOffered);
});
