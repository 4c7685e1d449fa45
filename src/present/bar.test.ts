import { expect, test } from "vitest";
import { bar } from "./bar.ts";

test.each([
  ["the highest value fills the width", 8, "████"],
  ["half of it fills half", 4, "██"],
  ["an eighth of a character is shown", 0.25, "▏"],
  ["a value that is too small for an eighth is still shown", 1e-9, "▏"],
  ["more than the highest is not wider", 80, "████"],
  ["zero has no bar", 0, ""],
  ["an unknown value has no bar", null, ""],
])("%s", (_title, value, expected) => {
  expect(bar(value, 8, 4)).toBe(expected);
});

test("there are no bars where all values are zero", () => {
  expect(bar(0, 0, 4)).toBe("");
});
