import { describe, expect, test } from "vitest";
import { parseReport } from "./report.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const NOTHING_ASKED = { tool: null, input: null, question: null, options: null };

const STATES: readonly (readonly [fields: Record<string, string>, signal: object])[] = [
  [{ state: "idle" }, { says: "ready", rule: "report_idle" }],
  [
    { state: "idle", turn: "aborted" },
    { says: "ready", turn: "aborted" },
  ],
  [{ state: "working" }, { says: "working", rule: "report_working" }],
  [{ state: "done" }, { says: "ready", turn: "good" }],
  [
    { state: "error", msg: base64("529 overloaded") },
    { says: "ready", turn: "failed", excerpt: "529 overloaded" },
  ],
  [
    {
      state: "blocked",
      kind: "permission",
      req: "r1",
      msg: base64("approve Bash"),
      tool: base64("Bash"),
      input: base64('{"command":"ä"}'),
    },
    {
      says: "asking",
      excerpt: "Bash",
      asked: {
        ...NOTHING_ASKED,
        for: "permission",
        requestId: "r1",
        tool: "Bash",
        input: { command: "ä" },
      },
    },
  ],
  [
    {
      state: "blocked",
      kind: "question",
      req: "r2",
      msg: base64("Which?"),
      options: base64('["A","B"]'),
    },
    {
      says: "asking",
      excerpt: "Which?",
      asked: {
        ...NOTHING_ASKED,
        for: "question",
        requestId: "r2",
        question: "Which?",
        options: ["A", "B"],
      },
    },
  ],
  [
    { state: "blocked", kind: "question", input: "!", options: base64("[1]") },
    { says: "asking", asked: { ...NOTHING_ASKED, for: "question", requestId: null } },
  ],
];

describe("a report of scripted", () => {
  test.each(STATES)("%o is a signal", (fields, signal) => {
    expect(parseReport({ app: "scripted", ...fields })).toEqual({
      signal: expect.objectContaining({ source: "terminal", ...signal }),
    });
  });

  test.each([
    [{ app: "scripted", state: "clear" }],
    [{ app: "scripted", state: "working", id: "" }],
    [{ app: "claude-code", state: "working" }],
    [{ app: "scripted", state: "blocked", kind: "plan" }],
    [{ app: "scripted", state: "blocked" }],
    [{ app: "scripted" }],
    [{ state: "idle" }],
  ])("%o tells nothing", (fields) => {
    expect(parseReport(fields as Record<string, string>)).toEqual({});
  });

  test("with an id belongs to a child", () => {
    const fields = { app: "scripted", state: "working", id: "helper-1" };
    expect(parseReport(fields)).toEqual({ child: { nativeId: "helper-1" } });
  });

  test("of a turn without end tells only the prompt", () => {
    const { signal } = parseReport({ app: "scripted", state: "idle", turn: "upside down" });
    expect(signal).not.toHaveProperty("turn");
  });
});
