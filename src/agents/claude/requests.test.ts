import { describe, expect, test } from "vitest";
import { isAbout, requestOf } from "./requests.ts";

const call = (tool: string, input = {}) => ({ tool, input });

describe("a report of Claude is about a call", () => {
  test.each([
    ["approve Bash: touch a b", call("Bash", { command: "touch  a\n b ", description: "d" })],
    ["approve Update: /project/w.txt", call("Edit", { file_path: "/project/w.txt", old_string: "a" })],
    ["approve Fetch: http://example.com/x", call("WebFetch", { url: "http://example.com/x" })],
    ["approve Web Search", call("WebSearch", { query: "what" })],
    ["approve thing - poke (MCP)", call("mcp__thing__poke", { where: "here" })],
    ["approve plan", call("ExitPlanMode", { plan: "…" })],
    ["permission prompt", call("Bash", { command: "x".repeat(3000) })],
    ["answer: Which? (A · B)", call("AskUserQuestion", { questions: [{ question: "Which?" }] })],
    ["input needed", call("AskUserQuestion", { questions: [{ question: "Which?" }] })],
  ])("%s", (msg, one) => {
    expect(isAbout(msg, one)).toBe(true);
  });

  test.each([
    ["approve Bash: touch a", call("Bash", { command: "touch b" })],
    ["approve Write: /project/a", call("Edit", { file_path: "/project/b" })],
    ["approve Web Search", call("mcp__thing__poke")],
    ["approve plan", call("Bash", { command: "plan" })],
    ["answer: Which? (A · B)", call("AskUserQuestion", { questions: [{ question: "Other?" }] })],
    ["answer: Which? (A · B)", call("Bash", { command: "Which?" })],
    ["permission prompt", call("AskUserQuestion", { questions: [{ question: "Which?" }] })],
    ["sandbox request", call("Bash", { command: "x" })],
    ["", call("Bash")],
  ])("and %s is not about that", (msg, one) => {
    expect(isAbout(msg, one)).toBe(false);
  });
});

test("several questions are asked as one, without options that would fit only the first", () => {
  const questions = ["Which?", "And?"].map((question) => ({ question, options: [{ label: "A" }] }));
  expect(requestOf(call("AskUserQuestion", { questions }), "r1")).toMatchObject({
    for: "question",
    requestId: "r1",
    question: "Which?\nAnd?",
    options: null,
    input: { questions },
  });
});

test.each([[{}], [{ questions: "x" }], [{ questions: [1, { question: 2 }] }]])(
  "a question without one (%o) is nevertheless asked",
  (input) => {
    expect(requestOf(call("AskUserQuestion", input))).toMatchObject({ for: "question", question: null });
  },
);
