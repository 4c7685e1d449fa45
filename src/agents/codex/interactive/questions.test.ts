import { expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { AT_PROMPT } from "../../../domain/supervise/signal.ts";
import { screenFixture } from "../../../testing/agents/screen-fixtures.ts";
import { keysIn } from "../../deed.ts";
import { answerKeys, questionRequest } from "./questions.ts";
import { parseShown } from "./shown.ts";

const one = (question: string, labels: readonly string[]) => ({
  question,
  options: labels.map((label) => ({ label })),
});
const INPUT = { questions: [one("Which one?", ["A", "B"]), one("And when?", ["C", "D"])] };
const MEMORY = { calls: [{ id: "c1", name: "request_user_input", input: INPUT }] };
const REQUEST: Waiting = {
  ...{ ...AT_PROMPT, for: "question", since: "2026-11-16T22:00:00.000Z" },
  input: INPUT as never,
};
const screenOf = (name: string) => screenFixture("codex", name);

test("questions are told in full where the rollout has their call", () => {
  const asked = { for: "question", question: "Which one?\nAnd when?", options: null, input: INPUT };
  expect(questionRequest(MEMORY)).toEqual(asked);
  for (const name of ["question-first-of-two", "question-second-of-two"])
    expect(parseShown(screenOf(name), MEMORY).signal).toMatchObject({ says: "asking", asked });
});

test("each answer is pressed only on the page of its question", () => {
  const pressed = answerKeys(REQUEST, "B\n1");
  const keys = pressed ? keysIn(pressed) : [];
  expect(keys.map(({ bytes }) => bytes)).toEqual(["2", "1"]);
  const isShown = (name: string) =>
    keys.map(({ onScreen }) => new RegExp(onScreen ?? "$^", "mu").test(screenOf(name)));
  expect(isShown("question-first-of-two")).toEqual([true, false]);
  expect(isShown("question-second-of-two")).toEqual([false, true]);
});

test.each(["A", "A\nneither", "3\n1", "A\n"])("the choice %j is refused", (choice) => {
  expect(() => answerKeys(REQUEST, choice)).toThrow(expect.objectContaining({ code: "bad_input" }));
});

test("a question without known choices is not answered from outside", () => {
  expect(answerKeys({ ...REQUEST, input: null }, "1")).toBeUndefined();
  expect(answerKeys({ ...REQUEST, input: { questions: [one("Why?", [])] } as never }, "1")).toBeUndefined();
});
