import { describe, expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { TARGET } from "../../../testing/agents/target.ts";
import { controls } from "./controls.ts";

const PERMISSION: Waiting = {
  for: "permission",
  requestId: "r/1 ?",
  tool: "Bash",
  input: {},
  question: null,
  options: null,
  since: "2026-11-16T01:50:15.182Z",
};
const QUESTION: Waiting = {
  ...PERMISSION,
  for: "question",
  tool: null,
  question: "Which?",
  options: ["A", "B"],
};
const FREE: Waiting = { ...QUESTION, options: null };
const TO_PERMISSION = "/permission/r%2F1%20%3F/reply";
const TO_QUESTION = "/question/r%2F1%20%3F/reply";

describe("scripted over HTTP", () => {
  test.each([
    ["say", controls.say(TARGET, "a\nb"), "/message", { text: "a\nb" }],
    ["interrupt", controls.interrupt(TARGET), "/abort", {}],
    ["stop", controls.stop(TARGET), "/stop", {}],
    ["approve", controls.approve(TARGET, PERMISSION), TO_PERMISSION, { reply: "once" }],
    ["approve always", controls.approveAlways?.(TARGET, PERMISSION), TO_PERMISSION, { reply: "always" }],
    ["deny", controls.deny(TARGET, PERMISSION, null), TO_PERMISSION, { reply: "reject" }],
    [
      "deny with a reason",
      controls.deny(TARGET, PERMISSION, "no"),
      TO_PERMISSION,
      { reply: "reject", reason: "no" },
    ],
    ["answer by number", controls.answer(TARGET, QUESTION, "2"), TO_QUESTION, { choice: "B" }],
    ["answer freely", controls.answer(TARGET, FREE, "2"), TO_QUESTION, { choice: "2" }],
  ])("%s is one call", (_, deed, path, body) => {
    expect(deed).toEqual({ via: "http", method: "POST", path, body });
  });

  test.each([
    ["approve a question", controls.approve(TARGET, QUESTION)],
    ["approve a request without an id", controls.approve(TARGET, { ...PERMISSION, requestId: null })],
    ["answer a permission", controls.answer(TARGET, PERMISSION, "A")],
    ["answer a question without an id", controls.answer(TARGET, { ...QUESTION, requestId: null }, "A")],
  ])("has no call to %s", (_, deed) => {
    expect(deed).toBeUndefined();
  });

  test.each(["C", "0", "3", ""])("refuses the choice %j, which is not offered", (choice) => {
    expect(() => controls.answer(TARGET, QUESTION, choice)).toThrow(
      expect.objectContaining({ code: "bad_input" }),
    );
  });
});
