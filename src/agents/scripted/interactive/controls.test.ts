import { describe, expect, test } from "vitest";
import { matchScreen } from "../../../domain/screen/screen-rules.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import { TARGET } from "../../../testing/agents/target.ts";
import type { Deed } from "../../deed.ts";
import { controls } from "./controls.ts";

const SINCE = "2026-11-16T01:50:15.182Z";
const PERMISSION: Waiting = {
  for: "permission",
  requestId: "r1",
  tool: "mcp.run(x)",
  input: {},
  question: null,
  options: null,
  since: SINCE,
};
const QUESTION: Waiting = {
  ...PERMISSION,
  for: "question",
  tool: null,
  question: "Which?",
  options: ["A", "B"],
};
const FREE: Waiting = { ...QUESTION, options: null };
const TRUST: Waiting = { ...PERMISSION, for: "trust", tool: null };
const LOGIN: Waiting = { ...TRUST, for: "login" };

const keysOf = (deed: Deed | undefined) => (deed?.via === "keys" ? deed : undefined);

describe("scripted in a terminal", () => {
  test.each([
    ["say", controls.say(TARGET, "a\nb\x1b[201~"), "\x1b[200~a\nb[201~\x1b[201~\r"],
    ["interrupt", controls.interrupt(TARGET), "\x1b"],
    ["stop", controls.stop(TARGET), "\x15\x04"],
    ["approve", controls.approve(TARGET, PERMISSION), "y"],
    ["deny", controls.deny(TARGET, PERMISSION, null), "n"],
    ["trust", controls.approve(TARGET, TRUST), "y"],
    ["answer by text", controls.answer(TARGET, QUESTION, "B"), "2"],
    ["answer by number", controls.answer(TARGET, QUESTION, "1"), "1"],
    ["answer freely", controls.answer(TARGET, FREE, "Bob"), "\x1b[200~Bob\x1b[201~\r"],
  ])("%s is typed", (_, deed, bytes) => {
    expect(keysOf(deed)?.bytes).toBe(bytes);
  });

  test.each([
    [controls.approve(TARGET, PERMISSION), 'Allow mcp.run(x) {"a":1}? [y] yes  [n] no'],
    [controls.deny(TARGET, { ...PERMISSION, tool: null }, null), "Allow X {}? [y] yes  [n] no"],
    [controls.approve(TARGET, TRUST), "Trust this folder? [y] yes  [n] no, leave"],
    [controls.answer(TARGET, QUESTION, "A"), "Choose 1-2:"],
    [controls.answer(TARGET, FREE, "A"), "Answer:"],
  ])("%o waits for its dialog", (deed, dialog) => {
    const rule = { name: "dialog", says: "waiting", pattern: keysOf(deed)?.onScreen ?? "never" } as const;
    expect(matchScreen([rule], `above\n${dialog}\n`)?.excerpt).toBe(dialog);
    expect(matchScreen([rule], "above\nworking> \n")).toBeUndefined();
  });
});

describe("scripted in a terminal has no keys", () => {
  test.each([
    ["approve a question", controls.approve(TARGET, QUESTION)],
    ["approve a login", controls.approve(TARGET, LOGIN)],
    ["answer a permission", controls.answer(TARGET, PERMISSION, "A")],
  ])("to %s", (_, deed) => {
    expect(deed).toBeUndefined();
  });
});

test.each(["C", "0", "3", ""])(
  "scripted in a terminal refuses the choice %j, which is not offered",
  (choice) => {
    expect(() => controls.answer(TARGET, QUESTION, choice)).toThrow(
      expect.objectContaining({ code: "bad_input" }),
    );
  },
);
