import { expect, test } from "vitest";
import type { NewEntry } from "../transcript/entry.ts";
import { type Activity, activityAfter, lastLine } from "./activity.ts";

const T0 = "2026-01-08T18:05:30.000Z";
const T1 = "2026-01-08T18:05:31.000Z";
const BEFORE: Activity = { text: "before", tool: null, at: T0 };

const call = (name: string, params?: object): NewEntry => ({
  role: "assistant",
  kind: "tool_call",
  text: null,
  tool: { name, params: params as never },
});
const said = (role: NewEntry["role"], kind: NewEntry["kind"], text: string): NewEntry => ({
  role,
  kind,
  text,
  tool: null,
});

test.each([
  ["a command", call("Bash", { description: "Runs", command: "npm test" }), "Bash npm test"],
  ["the words of a command", call("shell", { command: ["bash", "-lc", "ls"] }), "shell bash -lc ls"],
  ["a file", call("Read", { file_path: "/a/b.ts", limit: 3 }), "Read /a/b.ts"],
  ["what no list names", call("mcp__x__y", { team: "a" }), 'mcp__x__y {"team":"a"}'],
  ["nothing", call("Wait"), "Wait"],
])("a tool call is shown with %s", (_, entry, text) => {
  expect(activityAfter(BEFORE, entry, T1)).toEqual({ text, tool: entry.tool?.name, at: T1 });
});

test("the last line that the agent said is its activity, on one line", () => {
  expect(activityAfter(null, said("assistant", "text", "First.\n\n  Then\tthis. \n\n"), T1)).toEqual({
    text: "Then this.",
    tool: null,
    at: T1,
  });
});

test("a tool result moves the time and keeps the call", () => {
  expect(activityAfter(BEFORE, said("tool", "tool_result", "ok"), T1)).toEqual({ ...BEFORE, at: T1 });
  expect(activityAfter(null, said("tool", "tool_result", "ok"), T1)).toBeNull();
});

test.each([
  said("user", "text", "do it"),
  said("system", "notice", "note"),
  said("assistant", "text", " \n"),
])("%o is no activity", (entry) => {
  expect(activityAfter(BEFORE, entry, T1)).toBe(BEFORE);
});

test.each([
  ["one\ntwo\n\n", "two"],
  ["10 %\r50 %\r\n", "50 %"],
  ["\u001b[32mok\u001b[0m \u001b[K\n", "ok"],
  ["   \n\n", undefined],
])("the last line of %j is %j", (output, line) => {
  expect(lastLine(output)).toBe(line);
});

test("a long line is cut between characters", () => {
  const line = lastLine("🙂".repeat(300)) as string;
  expect([...line]).toHaveLength(200);
  expect(line.endsWith("🙂…")).toBe(true);
});
