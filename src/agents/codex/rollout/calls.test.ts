import { expect, test } from "vitest";
import { hasFailed } from "./calls.ts";

test.each([
  ["an exit code of 0", "Chunk ID: 1\nProcess exited with code 0\nOutput:\n", false],
  ["another exit code", "Chunk ID: 1\nProcess exited with code 2\nOutput:\nno such file", true],
  [
    "words of the output alone",
    "Chunk ID: 1\nProcess exited with code 0\nOutput:\nProcess exited with code 2\n",
    false,
  ],
  ["a call that could not be made", 'exec_command failed: CreateProcess { message: "rejected" }', true],
  ["a plain text", "Plan updated", false],
])("a result with %s tells whether the call failed", (_title, result, expected) => {
  expect(hasFailed(result)).toBe(expected);
});
