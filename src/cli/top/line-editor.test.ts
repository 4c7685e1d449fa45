import { expect, test } from "vitest";
import { KeyReader } from "../full-screen/keys.ts";
import { EMPTY_LINE, edit, textOf } from "./line-editor.ts";

const keysIn = (...chunks: (string | Buffer)[]) => {
  const reader = new KeyReader();
  return chunks.flatMap((chunk) => reader.read(Buffer.from(chunk)));
};
const lineOf = (typed: string) => keysIn(typed).reduce(edit, EMPTY_LINE);

test.each([
  ["say hi", "say hi", ""],
  ["日本🙂\u007f", "日本", ""],
  ["abc\u001b[D\u001b[DX", "aX", "bc"],
  ["abc\u0001X", "X", "abc"],
  ["abc\u0001\u001b[C\u0005!", "abc!", ""],
  ["abc\u0015d", "d", ""],
  ["\u007f\u001b[Dq", "q", ""],
])("%j is edited to %j before the cursor and %j behind it", (typed, before, after) => {
  expect(lineOf(typed)).toEqual({ before, after });
});

test("a pasted text is one key with its lines, in however many pieces it comes", () => {
  const sent = Buffer.from("x\u001b[200~ü one\r\ntwo\ra\u001b[201~y");
  const whole = [{ text: "x" }, { pasted: "ü one\ntwo\na" }, { text: "y" }];
  expect(keysIn(sent)).toEqual(whole);
  expect(keysIn(sent.subarray(0, 8), sent.subarray(8, 15), sent.subarray(15))).toEqual(whole);
  expect(textOf(keysIn(sent).reduce(edit, EMPTY_LINE))).toBe("xü one\ntwo\nay");
});

test("sequences and control characters that mean nothing are left out", () => {
  expect(keysIn("\u001b[15~\u0007\u0000a\u001b")).toEqual([{ text: "a" }, "escape"]);
});
