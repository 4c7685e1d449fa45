import { describe, expect, test } from "vitest";
import { matchScreen } from "../../domain/screen/screen-rules.ts";
import type { Waiting } from "../../domain/session/session.ts";
import { to } from "../../testing/target.ts";
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

const json = (bytes: string | undefined) => JSON.parse(bytes ?? "null") as unknown;

describe("in a terminal", () => {
  test.each([
    ["say", controls.say(to("interactive"), "a\nb\x1b[201~"), "\x1b[200~a\nb[201~\x1b[201~\r"],
    ["interrupt", controls.interrupt(to("interactive")), "\x1b"],
    ["stop", controls.stop(to("interactive")), "\x15\x04"],
    ["approve", controls.approve(to("interactive"), PERMISSION), "y"],
    ["deny", controls.deny(to("interactive"), PERMISSION, null), "n"],
    ["trust", controls.approve(to("interactive"), TRUST), "y"],
    ["answer by text", controls.answer(to("interactive"), QUESTION, "B"), "2"],
    ["answer by number", controls.answer(to("interactive"), QUESTION, "1"), "1"],
    ["answer freely", controls.answer(to("interactive"), FREE, "Bob"), "\x1b[200~Bob\x1b[201~\r"],
  ])("%s is typed", (_, keys, bytes) => {
    expect(keys?.bytes).toBe(bytes);
  });

  test.each([
    [controls.approve(to("interactive"), PERMISSION), 'Allow mcp.run(x) {"a":1}? [y] yes  [n] no'],
    [controls.deny(to("interactive"), { ...PERMISSION, tool: null }, null), "Allow X {}? [y] yes  [n] no"],
    [controls.approve(to("interactive"), TRUST), "Trust this folder? [y] yes  [n] no, leave"],
    [controls.answer(to("interactive"), QUESTION, "A"), "Choose 1-2:"],
    [controls.answer(to("interactive"), FREE, "A"), "Answer:"],
  ])("%o waits for its dialog", (keys, dialog) => {
    const rule = { name: "dialog", says: "waiting", pattern: keys?.onScreen ?? "never" } as const;
    expect(matchScreen([rule], `above\n${dialog}\n`)?.excerpt).toBe(dialog);
    expect(matchScreen([rule], "above\nworking> \n")).toBeUndefined();
  });
});

describe("in lines of JSON", () => {
  test.each([
    [controls.say(to("autonomous"), "a\nb"), { type: "user", text: "a\nb" }],
    [controls.interrupt(to("autonomous")), { type: "interrupt" }],
    [controls.stop(to("autonomous")), { type: "stop" }],
    [
      controls.approve(to("autonomous"), PERMISSION),
      { type: "answer", request_id: "r1", decision: "approve" },
    ],
    [
      controls.deny(to("autonomous"), PERMISSION, "no"),
      { type: "answer", request_id: "r1", decision: "deny", reason: "no" },
    ],
    [
      controls.deny(to("autonomous"), PERMISSION, null),
      { type: "answer", request_id: "r1", decision: "deny" },
    ],
    [controls.answer(to("autonomous"), QUESTION, "2"), { type: "answer", request_id: "r1", choice: "B" }],
    [controls.answer(to("autonomous"), FREE, "2"), { type: "answer", request_id: "r1", choice: "2" }],
  ])("%o is one line", (keys, value) => {
    expect(keys?.bytes.indexOf("\n")).toBe((keys?.bytes.length ?? 0) - 1);
    expect(json(keys?.bytes)).toEqual(value);
  });
});

describe("there is nothing to write", () => {
  test.each([
    ["approve a question", controls.approve(to("interactive"), QUESTION)],
    ["approve a login", controls.approve(to("interactive"), LOGIN)],
    ["answer a permission", controls.answer(to("interactive"), PERMISSION, "A")],
    ["approve what has no id", controls.approve(to("autonomous"), { ...PERMISSION, requestId: null })],
    ["trust without a terminal", controls.approve(to("autonomous"), TRUST)],
    ["say by ACP", controls.say(to("acp"), "hi")],
  ])("to %s", (_, keys) => {
    expect(keys).toBeUndefined();
  });
});

test.each(["C", "0", "3", ""])("the choice %j is refused where it is not offered", (choice) => {
  for (const kind of ["interactive", "autonomous"] as const)
    expect(() => controls.answer(to(kind), QUESTION, choice)).toThrow(
      expect.objectContaining({ code: "bad_input" }),
    );
});
