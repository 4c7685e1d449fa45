import { describe, expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { TARGET } from "../../../testing/agents/target.ts";
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

describe("scripted on pipes", () => {
  test.each([
    [controls.say(TARGET, "a\nb"), { type: "user", text: "a\nb" }],
    [controls.interrupt(TARGET), { type: "interrupt" }],
    [controls.stop(TARGET), { type: "stop" }],
    [controls.approve(TARGET, PERMISSION), { type: "answer", request_id: "r1", decision: "approve" }],
    [
      controls.deny(TARGET, PERMISSION, "no"),
      { type: "answer", request_id: "r1", decision: "deny", reason: "no" },
    ],
    [controls.deny(TARGET, PERMISSION, null), { type: "answer", request_id: "r1", decision: "deny" }],
    [controls.answer(TARGET, QUESTION, "2"), { type: "answer", request_id: "r1", choice: "B" }],
    [controls.answer(TARGET, FREE, "2"), { type: "answer", request_id: "r1", choice: "2" }],
  ])("%o is one line", (deed, value) => {
    const lines = deed?.via === "lines" ? deed.lines : [];
    expect(lines.map((line) => JSON.parse(line))).toEqual([value]);
    expect(lines.join("")).not.toContain("\n");
  });
});

describe("scripted on pipes has no line", () => {
  test.each([
    ["approve a request without an id", controls.approve(TARGET, { ...PERMISSION, requestId: null })],
    ["trust a folder", controls.approve(TARGET, TRUST)],
  ])("to %s", (_, deed) => {
    expect(deed).toBeUndefined();
  });
});

test.each(["C", "0", "3", ""])("scripted on pipes refuses the choice %j, which is not offered", (choice) => {
  expect(() => controls.answer(TARGET, QUESTION, choice)).toThrow(
    expect.objectContaining({ code: "bad_input" }),
  );
});
