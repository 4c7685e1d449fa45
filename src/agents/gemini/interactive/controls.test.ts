import { expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { screenFixture } from "../../../testing/agents/screen-fixtures.ts";
import type { Keys } from "../../deed.ts";
import { keysIn } from "../../deed.ts";
import { controls } from "./controls.ts";

const TO = { nativeId: "n", memory: {} };
const request = (given: Partial<Waiting>): Waiting => ({
  for: "permission",
  requestId: "r1",
  tool: null,
  input: null,
  question: null,
  options: null,
  since: "2026-11-18T20:00:00.000Z",
  ...given,
});
const patternOf = (deed: unknown): RegExp => new RegExp((deed as Keys).onScreen ?? "no pattern", "mu");

test("a text is sent only once the prompt box shows it", () => {
  const deed = controls.say(TO, "hello") as Keys;
  const keys = keysIn(deed);
  expect(keys.map(({ bytes }) => bytes)).toEqual([" ", "\u0015\u001b[200~hello\u001b[201~", " ", " ", "\r"]);
  for (const { onScreen } of keys.slice(2)) {
    const pattern = new RegExp(onScreen ?? "", "mu");
    expect(pattern.test(screenFixture("gemini", "half-typed"))).toBe(true);
    for (const screen of ["after-turn", "working", "queued", "prompt-unasked"])
      expect(pattern.test(screenFixture("gemini", screen))).toBe(false);
  }
});

test("blanks that the program draws stand before and behind a text, and not behind a command, whose choices they would open", () => {
  const moving = (text: string) =>
    keysIn(controls.say(TO, text) as Keys).map((key) => key.movesCursor === true);
  expect(moving("hello")).toEqual([true, false, true, true, false]);
  expect(moving(" /exit")).toEqual([true, false, false]);
});

test.each(["see @file", "ends in a \\"])("a blank behind %s keeps the Enter for the text", (text) => {
  expect(keysIn(controls.say(TO, text) as Keys)[1]?.bytes).toContain(`${text} \u001b[201~`);
});

test.each([
  ["approve", controls.approve(TO, request({})), "1"],
  ["approveAlways", controls.approveAlways?.(TO, request({})), "2"],
  ["deny", controls.deny(TO, request({}), null), "\u001b"],
])("%s presses its key while a permission is on the screen", (_, deed, bytes) => {
  expect(deed).toMatchObject({ via: "keys", bytes });
  for (const screen of ["permission-command", "permission-write"])
    expect(patternOf(deed).test(screenFixture("gemini", screen))).toBe(true);
  for (const screen of ["working", "question", "trust-dialog"])
    expect(patternOf(deed).test(screenFixture("gemini", screen))).toBe(false);
});

test("the dialog about the folder is answered by its numbers", () => {
  const shows = screenFixture("gemini", "trust-dialog");
  for (const [deed, bytes] of [
    [controls.approve(TO, request({ for: "trust" })), "1"],
    [controls.deny(TO, request({ for: "trust" }), null), "3"],
  ] as const) {
    expect(deed).toMatchObject({ bytes });
    expect(patternOf(deed).test(shows)).toBe(true);
  }
});

test("a question is answered by a number or by the words of a choice, and by nothing else", () => {
  const asked = request({ for: "question", options: ["A", "B"] });
  for (const choice of ["2", "B"]) {
    const deed = controls.answer(TO, asked, choice);
    expect(deed).toMatchObject({ bytes: "2" });
    expect(patternOf(deed).test(screenFixture("gemini", "question"))).toBe(true);
  }
  expect(() => controls.answer(TO, asked, "3")).toThrow("not offered");
});

test("a dialog without choices is not answered by one, and a question is neither approved nor denied", () => {
  expect(controls.answer(TO, request({ for: "question" }), "1")).toBeUndefined();
  expect(controls.approve(TO, request({ for: "question" }))).toBeUndefined();
  expect(controls.deny(TO, request({ for: "question" }), null)).toBeUndefined();
  expect(() => controls.deny(TO, request({}), "too much")).toThrow("no place for a reason");
});

test.each(["0", "1.5", "-1", ""])("the choice %j is not offered", (choice) => {
  const asked = request({ for: "question", options: ["A", "B"] });
  expect(() => controls.answer(TO, asked, choice)).toThrow("not offered");
});
