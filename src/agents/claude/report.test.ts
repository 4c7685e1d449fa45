import { describe, expect, test } from "vitest";
import type { Notes } from "../agent.ts";
import { hook } from "./hook.ts";
import { report } from "./report.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const app = "claude-code";
/** As Claude Code sends it: without a kind for dialogs that it knows nothing of. */
const blocked = (msg: string, kind?: string) => ({
  ...{ app, state: "blocked", msg: base64(msg) },
  ...(kind === undefined ? {} : { kind }),
});
const HOOKS: Notes = { hooks: "yes", reports: "yes" };
const BASH = { tool_name: "Bash", tool_input: { command: "touch  a\nb", description: "x" } };

/** What is remembered behind all of these. */
function noted(...steps: readonly ((notes: Notes) => { notes?: Notes })[]): Notes {
  let notes = HOOKS;
  for (const step of steps) notes = { ...notes, ...step(notes).notes };
  return notes;
}

describe("a report", () => {
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
    expect(report({ app, ...fields } as Record<string, string>, {}).signal).toMatchObject({
      source: "terminal",
      ...signal,
    });
  });

  test.each([
    [{ state: "clear" }],
    [{ app, state: "clear", id: "a71" }],
    [{ app, state: "working", id: "a71", title: base64("sub work") }],
    [{ app: "codex", state: "working" }],
    [{ app, state: "thinking" }],
    [{ app }],
    [{}],
  ])("%o tells nothing", (fields) => {
    expect(report(fields as Record<string, string>, {})).toEqual({});
  });

  test("of a turn that is over waits for the transcript, which tells what was said", () => {
    for (const state of ["done", "error"])
      expect(report({ app, state }, {})).toMatchObject({ awaits: "turn" });
    for (const state of ["idle", "working"]) expect(report({ app, state }, {})).not.toHaveProperty("awaits");
  });

  test("of rest within a request is the end of a turn, whoever asked", () => {
    const notes = noted((known) => report(blocked("dialog open"), known));
    expect(report({ app, state: "idle" }, notes).signal).toMatchObject({ turn: "aborted" });
  });

  test("of rest behind a new conversation is no interrupt", () => {
    const cleared = noted((notes) => hook("SessionStart", { session_id: "n", source: "clear" }, notes));
    expect(report({ app, state: "idle" }, cleared).signal).not.toHaveProperty("inTurn");
    const working = report({ app, state: "working" }, cleared).notes;
    expect(report({ app, state: "idle" }, { ...cleared, ...working }).signal).toMatchObject({
      inTurn: "aborted",
    });
  });

  test("of rest that comes behind a turn that its file has told of is old", () => {
    expect(report({ app, state: "idle" }, { file: "busy" }).signal).toBeUndefined();
    expect(report({ app, state: "idle" }, { file: "busy", reports: "yes" }).signal).toBeDefined();
  });
});

describe("a request, told by a report and a hook", () => {
  const asked = { for: "permission", tool: "Bash", input: BASH.tool_input, question: null };
  const asksBash = blocked("approve Bash: touch a b", "permission");

  test("is known in full when the hook comes first", () => {
    const notes = noted((known) => hook("PermissionRequest", BASH, known));
    expect(report(asksBash, notes)).toMatchObject({ signal: { source: "terminal", asked } });
    expect(report(asksBash, notes)).not.toHaveProperty("awaits");
  });

  test("waits for the hook where the report comes first, and is completed by it", () => {
    const seen = report(asksBash, HOOKS);
    expect(seen).toMatchObject({ awaits: "hook", signal: { asked: { for: "permission", tool: null } } });
    const notes = noted((known) => report(asksBash, known));
    expect(hook("PermissionRequest", BASH, notes)).toMatchObject({ signal: { source: "hook", asked } });
  });

  test("is told in the report's words where no hooks speak", () => {
    expect(report(asksBash, {})).toMatchObject({
      signal: { asked: { tool: null, input: null, question: "approve Bash: touch a b" } },
    });
    expect(report(asksBash, {})).not.toHaveProperty("awaits");
  });

  test("never takes the call of another", () => {
    const notes = noted((known) => hook("PermissionRequest", BASH, known));
    const other = report(blocked("approve Bash: touch other", "permission"), notes);
    expect(other.signal).toMatchObject({ asked: { tool: null, input: null } });
    const asking = noted((known) => report(blocked("approve Bash: touch other", "permission"), known));
    expect(hook("PermissionRequest", BASH, asking).signal).toBeUndefined();
  });

  test("is used up by its report, and nothing of a turn is left behind it", () => {
    const told = noted(
      (known) => hook("PermissionRequest", BASH, known),
      (known) => report(asksBash, known),
    );
    expect(report(asksBash, told).signal).toMatchObject({ asked: { tool: null } });
    const stale = noted(
      (known) => hook("PermissionRequest", BASH, known),
      (known) => report({ app, state: "done" }, known),
    );
    expect(report(asksBash, stale).signal).toMatchObject({ asked: { tool: null } });
  });

  test("of two sub-agents at once is told for each", () => {
    const other = { tool_name: "Write", tool_input: { file_path: "/project/w", content: "x" } };
    const notes = noted(
      (known) => hook("PermissionRequest", BASH, known),
      (known) => hook("PermissionRequest", other, known),
      (known) => report(asksBash, known),
    );
    expect(report(blocked("approve Write: /project/w", "permission"), notes).signal).toMatchObject({
      asked: { tool: "Write", input: other.tool_input },
    });
  });

  test("is a question with its options where it asks one", () => {
    const input = { questions: [{ question: "Which  one?", options: [{ label: "A" }, { label: "B" }] }] };
    const notes = noted((known) =>
      hook("PermissionRequest", { tool_name: "AskUserQuestion", tool_input: input }, known),
    );
    expect(report(blocked("answer: Which one? (A · B)", "question"), notes).signal).toMatchObject({
      asked: { for: "question", tool: null, input, question: "Which  one?", options: ["A", "B"] },
    });
  });
});
