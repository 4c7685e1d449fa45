import { describe, expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { AT_PROMPT } from "../../../domain/supervise/signal.ts";
import { expectedScreen, screenFixture } from "../../../testing/agents/screen-fixtures.ts";
import { TARGET } from "../../../testing/agents/target.ts";
import type { Deed } from "../../deed.ts";
import { controls } from "./controls.ts";

const keysOf = (deed: Deed | undefined) => (deed?.via === "keys" ? deed : undefined);

function request(given: Partial<Waiting>): Waiting {
  return { ...AT_PROMPT, for: "permission", since: "", ...given };
}

describe("at its terminal Codex", () => {
  test("is told a text by a paste, and then by Enter", () => {
    expect(controls.say(TARGET, "a\nb")).toEqual({
      via: "keys",
      bytes: "\u001b[200~a\nb\u001b[201~",
      more: ["\r"],
    });
  });

  test.each(["look at @src", "@", "use $skill"])("is not asked to complete the name in %s", (text) => {
    expect(keysOf(controls.say(TARGET, text))?.bytes).toBe(`\u001b[200~${text} \u001b[201~`);
  });

  test.each(["me@there", "@src is it", "costs 5$"])("is given %s as it is", (text) => {
    expect(keysOf(controls.say(TARGET, text))?.bytes).toBe(`\u001b[200~${text}\u001b[201~`);
  });

  test("is denied by a key, and told the reason as its next text", () => {
    const asked = request({ input: { cmd: "ls" } });
    expect(controls.deny(TARGET, asked, null)).toMatchObject({ bytes: "\u001b" });
    expect(controls.deny(TARGET, asked, "do not")).toMatchObject({
      bytes: "\u001b",
      more: ["\u001b[200~do not\u001b[201~", "\r"],
    });
  });

  test("is asked to leave by what stops a turn, empties the prompt and leaves", () => {
    expect(controls.stop(TARGET)).toEqual({ via: "keys", bytes: "\u001b", more: ["\u0015\u000b\u0004"] });
  });

  test.each([
    ["Hooks need review", "3", "3"],
    ["Hooks need review", "Continue without trusting", "3"],
    ["Update available · 0.166.0 → 0.167.0", "Skip", "2"],
    ["Background server has incompatible feature settings", "1", "1"],
  ])("at %s takes %s", (question, choice, bytes) => {
    expect(keysOf(controls.answer(TARGET, request({ for: "dialog", question }), choice))?.bytes).toBe(bytes);
  });

  test.each([
    ["Hooks need review", "2"],
    ["Update available · 0.166.0 → 0.167.0", "Update now"],
    ["Background server has incompatible feature settings", "2"],
  ])("at %s is not made to do more than this start needs by %s", (question, choice) => {
    expect(() => controls.answer(TARGET, request({ for: "dialog", question }), choice)).toThrow(
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
  const screen = screenFixture("codex", name);
  const { asked } = expectedScreen("codex", name);
  const keys = keysOf(controls.approveAlways?.(TARGET, request({ input: null, ...asked })));
  expect(keys?.bytes).toBe(key);
  expect(new RegExp(keys?.onScreen ?? "", "mu").test(screen)).toBe(true);
  expect(new RegExp(keys?.onScreen ?? "", "mu").test(screen.replace(/^ {2}2\..*$/m, ""))).toBe(false);
});
