import { expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { AT_PROMPT } from "../../../domain/supervise/signal.ts";
import { screenFixture } from "../../../testing/agents/screen-fixtures.ts";
import { type Key, keysIn } from "../../deed.ts";
import { answerKeys } from "./questions.ts";

const one = (question: string, labels: readonly string[], more: object = {}) => ({
  question,
  options: labels.map((label) => ({ label })),
  ...more,
});
const asks = (...questions: readonly object[]): Waiting => ({
  ...{ ...AT_PROMPT, since: "2026-11-16T22:00:00.000Z", for: "question", requestId: "r1" },
  input: { questions } as never,
});
const LONG =
  "Which of the many possible databases that we talked about for the whole last week should be used for the new service of the billing team?";
const SEVERAL = asks(
  one("Which?", ["A", "B"]),
  one("And?", ["C", "D", "E"], { multiSelect: true }),
  one(LONG, ["A", "B"]),
);

const keys = (request: Waiting, choice: string): readonly Key[] => {
  const pressed = answerKeys(request, choice);
  return pressed ? keysIn(pressed) : [];
};
const isShown = (key: Key | undefined, name: string) => {
  const screen = screenFixture("claude", name);
  return new RegExp(key?.onScreen ?? "$^", "mu").test(screen);
};

test("answers are submitted only where the review shows each of them", () => {
  expect(isShown(keys(SEVERAL, "my own words\n1,3\n2").at(-1), "questions-review")).toBe(true);
  for (const choice of ["A\n1,3\n2", "my own words\n1\n1", "my own words\n1,2\n2"])
    expect(isShown(keys(SEVERAL, choice).at(-1), "questions-review")).toBe(false);
  const two = asks(one("Which?", ["A"]), one("And?", ["B"]));
  expect(isShown(keys(two, "my own words\nB").at(-1), "questions-unanswered")).toBe(false);
});

test("a box is checked only where those before it are, and the page is left only when all are", () => {
  const pressed = keys(SEVERAL, "A\n1,3\n2").slice(1, 4);
  expect(pressed.map(({ bytes }) => bytes)).toEqual(["1", "3", "\x1b[C"]);
  expect(pressed.map((key) => isShown(key, "question-checked"))).toEqual([false, true, false]);
});

test("a question that fills more than a line is known by its beginning", () => {
  expect(isShown(keys(asks(one(LONG, ["A", "B"])), "2")[0], "question-long")).toBe(true);
});

test("a choice with a preview is confirmed once the cursor stands on it", () => {
  const options = ["Wide", "Narrow"].map((label) => ({ label, preview: `| ${label} |` }));
  const request = asks({ question: "Which layout?", options });
  const [, enter] = keys(request, "2");
  expect([enter?.bytes, isShown(enter, "question-preview")]).toEqual(["\r", true]);
  expect(isShown(keys(request, "1")[1], "question-preview")).toBe(false);
  expect(() => answerKeys(request, "neither")).toThrow(expect.objectContaining({ code: "bad_input" }));
});

test("questions whose pages look alike are not answered from outside", () => {
  const alike = "x".repeat(50);
  expect(answerKeys(asks(one(`${alike}?`, ["A"]), one(`${alike}!`, ["A"])), "1\n1")).toBeUndefined();
});
