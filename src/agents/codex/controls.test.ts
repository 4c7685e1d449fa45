import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Waiting } from "../../domain/session/session.ts";
import { AT_PROMPT } from "../../domain/supervise/signal.ts";
import { keystrokesIn } from "../keystrokes.ts";
import { controls } from "./controls.ts";

const TERMINAL = { kind: "interactive", nativeId: "n", notes: {} } as const;
const SERVER = { kind: "autonomous", nativeId: "n", notes: { thread: "t", turn: "u" } } as const;

function request(given: Partial<Waiting>): Waiting {
  return { ...AT_PROMPT, for: "permission", since: "", ...given };
}

function sent(bytes: string | undefined): object {
  return JSON.parse(bytes ?? "null");
}

describe("at its terminal Codex", () => {
  test("is told a text by a paste, and then by Enter", () => {
    expect(controls.say(TERMINAL, "a\nb")).toEqual({ bytes: "\u001b[200~a\nb\u001b[201~", more: ["\r"] });
  });

  test.each(["look at @src", "@", "use $skill"])("is not asked to complete the name in %s", (text) => {
    expect(controls.say(TERMINAL, text)?.bytes).toBe(`\u001b[200~${text} \u001b[201~`);
  });

  test.each(["me@there", "@src is it", "costs 5$"])("is given %s as it is", (text) => {
    expect(controls.say(TERMINAL, text)?.bytes).toBe(`\u001b[200~${text}\u001b[201~`);
  });

  test("is denied by a key, and told the reason as its next text", () => {
    const asked = request({ input: { cmd: "ls" } });
    expect(controls.deny(TERMINAL, asked, null)).toMatchObject({ bytes: "\u001b" });
    expect(controls.deny(TERMINAL, asked, "do not")).toMatchObject({
      bytes: "\u001b",
      more: ["\u001b[200~do not\u001b[201~", "\r"],
    });
  });

  test("is asked to leave by what stops a turn, empties the prompt and leaves", () => {
    expect(controls.stop(TERMINAL)).toEqual({ bytes: "\u001b", more: ["\u0015\u000b\u0004"] });
  });

  test.each([
    ["Hooks need review", "3", "3"],
    ["Hooks need review", "Continue without trusting", "3"],
    ["Update available · 0.166.0 → 0.167.0", "Skip", "2"],
    ["Background server has incompatible feature settings", "1", "1"],
  ])("at %s takes %s", (question, choice, bytes) => {
    expect(controls.answer(TERMINAL, request({ for: "dialog", question }), choice)?.bytes).toBe(bytes);
  });

  test.each([
    ["Hooks need review", "2"],
    ["Update available · 0.166.0 → 0.167.0", "Update now"],
    ["Background server has incompatible feature settings", "2"],
  ])("at %s is not made to do more than this start needs by %s", (question, choice) => {
    expect(() => controls.answer(TERMINAL, request({ for: "dialog", question }), choice)).toThrow(
      expect.objectContaining({ code: "bad_input" }),
    );
  });
});

test.each([
  ["permission-command", "p"],
  ["permission-below-a-fake", "p"],
  ["permission-second-of-two", "p"],
  ["permission-narrow", "p"],
  ["permission-wrapped", "p"],
  ["permission-edits", "a"],
])("a lasting yes is pressed where %s offers it", (name, key) => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, "fixtures", name, file), "utf8");
  const screen = read("screen.txt");
  const { asked } = JSON.parse(read("expected.json")) as { asked: Partial<Waiting> };
  const keys = controls.approveAlways?.(TERMINAL, request({ input: null, ...asked }));
  expect(keys?.bytes).toBe(key);
  expect(new RegExp(keys?.onScreen ?? "", "mu").test(screen)).toBe(true);
  expect(new RegExp(keys?.onScreen ?? "", "mu").test(screen.replace(/^ {2}2\..*$/m, ""))).toBe(false);
});

describe("by its app server Codex", () => {
  test("is told a lasting yes as one for the session", () => {
    const keys = controls.approveAlways?.(SERVER, request({ requestId: "3:exec-1" }));
    expect(sent(keys?.bytes)).toEqual({ id: 3, result: { decision: "acceptForSession" } });
  });

  test("is told a text by a turn, whose answer names it", () => {
    expect(sent(controls.say(SERVER, "hello")?.bytes)).toEqual({
      id: "say hello",
      method: "turn/start",
      params: { threadId: "t", input: [{ type: "text", text: "hello" }] },
    });
  });

  test("is answered by the number of its own request", () => {
    const asked = request({ requestId: "3:exec-1" });
    expect(sent(controls.approve(SERVER, asked)?.bytes)).toEqual({ id: 3, result: { decision: "accept" } });
    expect(sent(controls.deny(SERVER, asked, null)?.bytes)).toEqual({
      id: 3,
      result: { decision: "decline" },
    });
    expect(controls.approve(SERVER, request({ requestId: "r12" }))).toBeUndefined();
  });

  test("is told the reason of a denial before it, so that the turn takes it up", () => {
    const denied = controls.deny(SERVER, request({ requestId: "3:exec-1" }), "do not");
    expect(sent(denied?.bytes)).toMatchObject({
      method: "turn/steer",
      params: { threadId: "t", expectedTurnId: "u", input: [{ type: "text", text: "do not" }] },
    });
    expect(sent(denied && keystrokesIn(denied)[1]?.bytes)).toEqual({
      id: 3,
      result: { decision: "decline" },
    });
  });

  test("is interrupted in the turn that it told of", () => {
    expect(sent(controls.interrupt(SERVER)?.bytes)).toMatchObject({ params: { threadId: "t", turnId: "u" } });
    expect(controls.interrupt({ ...SERVER, notes: {} })).toBeUndefined();
  });
});
