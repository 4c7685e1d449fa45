import { describe, expect, test } from "vitest";
import type { Waiting } from "../../domain/session/session.ts";
import { controls } from "./controls.ts";
import { saysItself } from "./interactive/commands.ts";
import type { OpencodeMemory } from "./memory.ts";

const MEMORY: OpencodeMemory = {
  native: "ses_1",
  requests: [{ id: "per_1", kind: "permission", tool: "bash", input: {}, canLast: true }],
};
const TO = { nativeId: "ses_0", memory: MEMORY };
const PERMISSION: Waiting = {
  ...{ for: "permission", requestId: "per_1", tool: "bash", input: {}, question: null, options: null },
  since: "2026-11-18T20:00:00.000Z",
};
const QUESTIONS = [
  { question: "Which?", options: [{ label: "A" }, { label: "B" }] },
  { question: "Where?", multiple: true, options: [{ label: "North" }, { label: "South" }] },
];
const QUESTION: Waiting = {
  ...PERMISSION,
  for: "question",
  requestId: "que_1",
  tool: null,
  input: { questions: QUESTIONS },
};

describe("OpenCode by its server", () => {
  test.each([
    [
      "say",
      controls.say(TO, "a\nb"),
      "/session/ses_1/prompt_async",
      { parts: [{ type: "text", text: "a\nb" }] },
    ],
    ["interrupt", controls.interrupt(TO), "/session/ses_1/abort", {}],
    ["approve", controls.approve(TO, PERMISSION), "/permission/per_1/reply", { reply: "once" }],
    [
      "approve always",
      controls.approveAlways?.(TO, PERMISSION),
      "/permission/per_1/reply",
      { reply: "always" },
    ],
    ["deny", controls.deny(TO, PERMISSION, null), "/permission/per_1/reply", { reply: "reject" }],
    [
      "deny with a reason",
      controls.deny(TO, PERMISSION, "no"),
      "/permission/per_1/reply",
      { reply: "reject", message: "no" },
    ],
    [
      "answer",
      controls.answer(TO, QUESTION, "2\nSouth,1"),
      "/question/que_1/reply",
      { answers: [["B"], ["North", "South"]] },
    ],
  ])("%s is one call", (_, deed, path, body) => {
    expect(deed).toEqual({ via: "http", method: "POST", path, body });
  });

  test("a text goes to the model and agent that were chosen last", () => {
    const memory = { ...MEMORY, model: "router/maker/big", agent: "plan" };
    expect(controls.say({ ...TO, memory }, "go")).toMatchObject({
      body: { model: { providerID: "router", modelID: "maker/big" }, agent: "plan" },
    });
  });

  test("a lasting yes is given only where it is offered", () => {
    const requests = (MEMORY.requests ?? []).map((one) => ({ ...one, canLast: false }));
    for (const offered of [[], requests])
      expect(
        controls.approveAlways?.({ ...TO, memory: { ...MEMORY, requests: offered } }, PERMISSION),
      ).toBeUndefined();
    const others = (MEMORY.requests ?? []).map((one) => ({ ...one, id: "per_2" }));
    expect(
      controls.approveAlways?.({ ...TO, memory: { ...MEMORY, requests: others } }, PERMISSION),
    ).toBeUndefined();
  });

  test.each(["C\n1", "1", "A\nWest"])("refuses the choice %j, which is not offered", (choice) => {
    const answer = () =>
      choice.startsWith("C") ? controls.answer(TO, QUESTION, "3\n1") : controls.answer(TO, QUESTION, choice);
    expect(answer).toThrow(expect.objectContaining({ code: "bad_input" }));
  });

  test("a permission is not answered by a choice, nor a question approved, nor either without its id", () => {
    expect(controls.answer(TO, PERMISSION, "1")).toBeUndefined();
    expect(controls.approve(TO, QUESTION)).toBeUndefined();
    expect(controls.approve(TO, { ...PERMISSION, requestId: null })).toBeUndefined();
    expect(controls.answer(TO, { ...QUESTION, requestId: null }, "1\n1")).toBeUndefined();
    expect(controls.answer(TO, { ...QUESTION, input: { questions: ["?", {}] } }, "1")).toBeUndefined();
  });

  test("a text goes to the conversation of the record while none is shown", () => {
    const { native: _, ...memory } = MEMORY;
    expect(controls.interrupt({ ...TO, memory })).toMatchObject({ path: "/session/ses_0/abort" });
  });

  test("a command of the terminal is typed, and a new conversation is made by a call", () => {
    expect(saysItself(TO, "/models")).toBeUndefined();
    expect(saysItself(TO, "/new")).toMatchObject({ path: "/session" });
    expect(saysItself(TO, "/new\nline")).toMatchObject({ path: "/session/ses_1/prompt_async" });
  });
});
