import { expect, test } from "vitest";
import { entriesOfPart } from "./entries.ts";

const TEXT = { id: "prt_1", type: "text", text: "words", time: { end: 2 } };
const TOOL = { id: "prt_2", type: "tool", tool: "bash", callID: "c1" };

function errorOf(part: object): boolean | undefined {
  return entriesOfPart({ ...TOOL, ...part }, "assistant").at(-1)?.entry.tool?.isError;
}

test.each([
  ["that OpenCode wrote itself", { synthetic: true }],
  ["that the model is not shown", { ignored: true }],
  ["that is empty", { text: " " }],
  ["that has no id", { id: 7 }],
])("a text %s is no entry", (_, given) => {
  expect(entriesOfPart({ ...TEXT, ...given }, "user")).toEqual([]);
});

test("a text of the model is an entry once it is whole, and a person's at once", () => {
  const { time: _, ...open } = TEXT;
  expect(entriesOfPart(open, "assistant")).toEqual([]);
  expect(entriesOfPart(open, "user")).toMatchObject([{ entry: { role: "user", text: "words" } }]);
  expect(entriesOfPart(TEXT, "assistant")).toMatchObject([{ entry: { role: "assistant", text: "words" } }]);
});

test.each([
  ["with the exit code 0", { status: "completed", metadata: { exit: 0 } }, undefined],
  ["without an exit code", { status: "completed", metadata: {} }, undefined],
  ["with another exit code", { status: "completed", metadata: { exit: 1 } }, true],
  ["by an error", { status: "error", error: "no" }, true],
] as const)("a call of a tool that ended %s has failed: %#", (_, state, hasFailed) => {
  expect(errorOf({ state })).toBe(hasFailed);
});

test("a call of a tool that there is not has failed, though it is completed", () => {
  expect(errorOf({ tool: "invalid", state: { status: "completed" } })).toBe(true);
});

test("a call of a tool is an entry once it runs, and its result once it is over", () => {
  const kinds = (status: string) =>
    entriesOfPart({ ...TOOL, state: { status, input: { a: 1 } } }, "assistant").map(
      ({ entry }) => entry.kind,
    );
  expect(["pending", "running", "completed"].map(kinds)).toEqual([
    [],
    ["tool_call"],
    ["tool_call", "tool_result"],
  ]);
});
