import { describe, expect, test } from "vitest";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseHook } from "./hook.ts";
import { parseReport } from "./report.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const app = "claude-code";
/** As Claude Code sends it: without a kind for dialogs that it knows nothing of. */
const blocked = (msg: string, kind?: string) => ({
  ...{ app, state: "blocked", msg: base64(msg) },
  ...(kind === undefined ? {} : { kind }),
});
const HOOKS: ClaudeMemory = { hooks: true, reports: true };
const BASH = { tool_name: "Bash", tool_input: { command: "touch  a\nb", description: "x" } };

/** The memory after all of these. */
function memoryAfter(...steps: readonly ((memory: ClaudeMemory) => Parsed<ClaudeMemory>)[]): ClaudeMemory {
  let memory = HOOKS;
  for (const step of steps) memory = { ...memory, ...step(memory).memory };
  return memory;
}

describe("a report of Claude", () => {
  test.each([
    [{ state: "idle" }, { says: "ready", inTurn: "aborted", rule: "report_idle" }],
    [{ state: "working" }, { says: "working", rule: "report_working", excerpt: null }],
    [
      { state: "working", msg: base64("Writing w.txt") },
      { says: "working", excerpt: "Writing w.txt" },
    ],
    [{ state: "done" }, { says: "ready", turn: "good" }],
    [
      { state: "error", msg: base64("API Error: 400 scripted error 400") },
      { says: "ready", turn: "failed", excerpt: "API Error: 400 scripted error 400" },
    ],
    [
      { state: "error", msg: base64("You've hit your session limit · resets 3pm") },
      { says: "asking", asked: { for: "limit", question: "You've hit your session limit · resets 3pm" } },
    ],
    [
      { state: "blocked", kind: "auth", msg: base64("Not logged in · Please run /login") },
      { says: "ready", turn: "failed", excerpt: "Not logged in · Please run /login" },
    ],
    [
      { state: "blocked", msg: base64("dialog open") },
      { says: "asking", asked: { for: "dialog", question: null } },
    ],
    [
      { state: "blocked", kind: "permission", msg: base64("sandbox request") },
      { says: "asking", asked: { for: "permission", question: "sandbox request" } },
    ],
  ])("%o is a signal of the terminal", (fields, signal) => {
    expect(parseReport({ app, ...fields } as Record<string, string>, {}).signal).toMatchObject({
      source: "terminal",
      ...signal,
    });
  });

  test.each([
    [{ state: "clear" }],
    [{ app, state: "working", id: "" }],
    [{ app: "codex", state: "working" }],
    [{ app, state: "thinking" }],
    [{ app }],
    [{}],
  ])("%o tells nothing", (fields) => {
    expect(parseReport(fields as Record<string, string>, {})).toEqual({});
  });

  test.each([
    [{ app, state: "clear", id: "a71" }],
    [{ app, state: "working", id: "a71", title: base64("sub work") }],
  ])("%o belongs to a child", (fields) => {
    expect(parseReport(fields as Record<string, string>, {})).toEqual({ child: { nativeId: "a71" } });
  });

  test("of a turn that is over waits for the transcript, which tells what was said", () => {
    for (const state of ["done", "error"])
      expect(parseReport({ app, state }, {})).toMatchObject({ awaits: "turn" });
    for (const state of ["idle", "working"])
      expect(parseReport({ app, state }, {})).not.toHaveProperty("awaits");
  });

  test("of rest within a request is the end of a turn, whoever asked", () => {
    const memory = memoryAfter((known) => parseReport(blocked("dialog open"), known));
    expect(parseReport({ app, state: "idle" }, memory).signal).toMatchObject({ turn: "aborted" });
  });

  test("of rest behind a new conversation is no interrupt", () => {
    const cleared = memoryAfter((memory) =>
      parseHook("SessionStart", { session_id: "n", source: "clear" }, memory),
    );
    expect(parseReport({ app, state: "idle" }, cleared).signal).not.toHaveProperty("inTurn");
    const working = parseReport({ app, state: "working" }, cleared).memory;
    expect(parseReport({ app, state: "idle" }, { ...cleared, ...working }).signal).toMatchObject({
      inTurn: "aborted",
    });
  });

  test("of rest that comes behind a turn that its file has told of is old", () => {
    expect(parseReport({ app, state: "idle" }, { fileStatus: "busy" }).signal).toBeUndefined();
    expect(parseReport({ app, state: "idle" }, { fileStatus: "busy", reports: true }).signal).toBeDefined();
  });
});

describe("a request of Claude, by a report and a hook", () => {
  const asked = { for: "permission", tool: "Bash", input: BASH.tool_input, question: null };
  const asksBash = blocked("approve Bash: touch a b", "permission");

  test("is known in full when the hook comes first", () => {
    const memory = memoryAfter((known) => parseHook("PermissionRequest", BASH, known));
    expect(parseReport(asksBash, memory)).toMatchObject({ signal: { source: "terminal", asked } });
    expect(parseReport(asksBash, memory)).not.toHaveProperty("awaits");
  });

  test("waits for the hook where the report comes first, and is completed by it", () => {
    const parsed = parseReport(asksBash, HOOKS);
    expect(parsed).toMatchObject({ awaits: "hook", signal: { asked: { for: "permission", tool: null } } });
    const memory = memoryAfter((known) => parseReport(asksBash, known));
    expect(parseHook("PermissionRequest", BASH, memory)).toMatchObject({ signal: { source: "hook", asked } });
  });

  test("is told in the report's words where no hooks speak", () => {
    expect(parseReport(asksBash, {})).toMatchObject({
      signal: { asked: { tool: null, input: null, question: "approve Bash: touch a b" } },
    });
    expect(parseReport(asksBash, {})).not.toHaveProperty("awaits");
  });

  test("never takes the call of another", () => {
    const memory = memoryAfter((known) => parseHook("PermissionRequest", BASH, known));
    const other = parseReport(blocked("approve Bash: touch other", "permission"), memory);
    expect(other.signal).toMatchObject({ asked: { tool: null, input: null } });
    const asking = memoryAfter((known) =>
      parseReport(blocked("approve Bash: touch other", "permission"), known),
    );
    expect(parseHook("PermissionRequest", BASH, asking).signal).toBeUndefined();
  });

  test("is used up by its report, and nothing of a turn is left behind it", () => {
    const asked = memoryAfter(
      (known) => parseHook("PermissionRequest", BASH, known),
      (known) => parseReport(asksBash, known),
    );
    expect(parseReport(asksBash, asked).signal).toMatchObject({ asked: { tool: null } });
    const stale = memoryAfter(
      (known) => parseHook("PermissionRequest", BASH, known),
      (known) => parseReport({ app, state: "done" }, known),
    );
    expect(parseReport(asksBash, stale).signal).toMatchObject({ asked: { tool: null } });
  });

  test("of two sub-agents at once is told for each", () => {
    const other = { tool_name: "Write", tool_input: { file_path: "/project/w", content: "x" } };
    const memory = memoryAfter(
      (known) => parseHook("PermissionRequest", BASH, known),
      (known) => parseHook("PermissionRequest", other, known),
      (known) => parseReport(asksBash, known),
    );
    expect(parseReport(blocked("approve Write: /project/w", "permission"), memory).signal).toMatchObject({
      asked: { tool: "Write", input: other.tool_input },
    });
  });

  test("is a question with its options where it asks one", () => {
    const input = { questions: [{ question: "Which  one?", options: [{ label: "A" }, { label: "B" }] }] };
    const memory = memoryAfter((known) =>
      parseHook("PermissionRequest", { tool_name: "AskUserQuestion", tool_input: input }, known),
    );
    expect(parseReport(blocked("answer: Which one? (A · B)", "question"), memory).signal).toMatchObject({
      asked: { for: "question", tool: null, input, question: "Which  one?", options: ["A", "B"] },
    });
  });
});
