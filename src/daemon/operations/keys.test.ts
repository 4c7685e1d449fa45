import fc from "fast-check";
import { expect, test } from "vitest";
import { RollcallError } from "../../domain/errors.ts";
import { encodeKeys } from "./keys.ts";

const KEYS: readonly (readonly [keys: string, bytes: string])[] = [
  ["Enter", "\r"],
  ["enter", "\r"],
  ["Return", "\r"],
  ["Escape", "\x1b"],
  ["Esc", "\x1b"],
  ["Tab", "\t"],
  ["Shift-Tab", "\x1b[Z"],
  ["BackSpace", "\x7f"],
  ["Space", " "],
  ["Delete", "\x1b[3~"],
  ["Insert", "\x1b[2~"],
  ["Up", "\x1b[A"],
  ["DOWN", "\x1b[B"],
  ["Right", "\x1b[C"],
  ["Left", "\x1b[D"],
  ["Home", "\x1b[H"],
  ["End", "\x1b[F"],
  ["PageUp", "\x1b[5~"],
  ["PageDown", "\x1b[6~"],
  ["F1", "\x1bOP"],
  ["F5", "\x1b[15~"],
  ["F12", "\x1b[24~"],
  ["C-c", "\x03"],
  ["C-C", "\x03"],
  ["Ctrl-d", "\x04"],
  ["c-c", "\x03"],
  ["C-Space", "\x00"],
  ["C-@", "\x00"],
  ["C-[", "\x1b"],
  ["C-\\", "\x1c"],
  ["C-]", "\x1d"],
  ["C-_", "\x1f"],
  ["C-?", "\x7f"],
  ["M-x", "\x1bx"],
  ["m-x", "\x1bx"],
  ["Alt-x", "\x1bx"],
  ["M-Enter", "\x1b\r"],
  ["M-C-c", "\x1b\x03"],
  ["M--", "\x1b-"],
  ["a", "a"],
  ["-", "-"],
  ["é", "é"],
  ["😀", "😀"],
  ["1", "1"],
];

test.each(KEYS)("%s is what a terminal sends for it", (key, bytes) => {
  expect(encodeKeys([key])).toBe(bytes);
});

test("keys are sent in the order they are given", () => {
  expect(encodeKeys(["Down", "Down", "Enter"])).toBe("\x1b[B\x1b[B\r");
});

const UNKNOWN = [
  "",
  "Entre",
  "C-",
  "C-é",
  "C-cc",
  "M-",
  "F13",
  "hello",
  "constructor",
  "__proto__",
  "toString",
  "M-hello",
];

test.each(UNKNOWN)("%j is no key, and nothing of the call is sent", (key) => {
  expect(() => encodeKeys(["a", key])).toThrow(RollcallError);
});

test("whatever is given is bytes or is refused with what is valid", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 6 })), (keys) => {
      try {
        expect(typeof encodeKeys(keys)).toBe("string");
      } catch (error) {
        expect(error).toMatchObject({ code: "bad_input", hint: expect.stringContaining("Enter") });
      }
    }),
  );
});
