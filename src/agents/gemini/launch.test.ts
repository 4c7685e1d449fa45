import { expect, test } from "vitest";
import { launchRequest } from "../../testing/agents/launch-request.ts";
import { autonomous } from "./autonomous/mode.ts";
import { isNamedFor } from "./home.ts";
import { interactive } from "./interactive/mode.ts";

test("a new conversation gets an id of ours, and a resumed one keeps its own", () => {
  expect(interactive.plan(launchRequest({ env: { HOME: "/home/someone" }, model: "m" }))).toMatchObject({
    command: ["gemini", "--session-id", "fresh", "--model", "m"],
    nativeId: "fresh",
    transcripts: "/home/someone/.gemini/tmp",
  });
  const continues = { nativeId: "before", how: "resume" } as const;
  expect(interactive.plan(launchRequest({ continues, args: ["--approval-mode", "plan"] }))).toMatchObject({
    command: ["gemini", "--resume", "before", "--approval-mode", "plan"],
    nativeId: "before",
  });
});

test("its folder can be moved by GEMINI_CLI_HOME", () => {
  const env = { HOME: "/home/someone", GEMINI_CLI_HOME: "/elsewhere" };
  expect(interactive.plan(launchRequest({ env })).transcripts).toBe("/elsewhere/.gemini/tmp");
});

test("without a terminal it is refused where it would begin without a text", () => {
  expect(autonomous.plan(launchRequest()).command).toContain("stream-json");
  expect(() => autonomous.plan(launchRequest({ hasPrompt: false }))).toThrow("works on one text");
});

test.each([
  ...["-p", "--prompt=hi", "-r", "--resume", "--session-id", "--acp", "-o", "--output-format", "--worktree"],
  ...["a word", "--", "-"],
])("the argument %s is refused before anything is started", (arg) => {
  expect(() => interactive.plan(launchRequest({ args: [arg] }))).toThrow(/Gemini CLI/);
});

test.each([
  ["project/chats/session-2026-11-18T20-37-d268289b.jsonl", true],
  ["project/chats/session-2026-11-18T20-37-00000000.jsonl", false],
  ["project/chats/d268289b-9ad4-4131-b723-97e1a4a4f452/d268289b.jsonl", false],
  ["project/chats/session-2026-11-18T20-37-d268289b.jsonl.unreadable-1", false],
  ["project/logs.json", false],
])("the file %s may be of the conversation: %s", (path, isIts) => {
  expect(isNamedFor(path, "d268289b-9ad4-4131-b723-97e1a4a4f452")).toBe(isIts);
});
