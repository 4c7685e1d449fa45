import { expect, test } from "vitest";
import { screenFixture } from "../../../testing/agents/screen-fixtures.ts";
import { parseShown } from "./shown.ts";

const shown = (name: string) => parseShown(screenFixture("gemini", name));

test("a permission is asked for by the screen, which fills a gap of the title", () => {
  expect(shown("permission-command").signal).toMatchObject({
    ...{ says: "asking", source: "screen", rule: "permission_dialog", fillsGap: true },
    asked: {
      for: "permission",
      tool: "run_shell_command",
      input: { command: "touch a && echo one; echo two" },
      question: "Allow execution of [Shell]?",
    },
  });
  expect(shown("permission-write").signal).toMatchObject({
    asked: { tool: "write_file", input: { description: "Writing to new.txt" } },
  });
});

test("a command is that of the dialog's body, and that of its head where it has none", () => {
  const screen = ["│ ? Shell  ls … │", "│ │ ls -l │ │", "│ ● 1. Allow once │"];
  const inputOf = (lines: readonly string[]) => {
    const { signal } = parseShown(lines.join("\n"));
    return signal?.says === "asking" ? signal.asked.input : undefined;
  };
  expect(inputOf(screen)).toEqual({ command: "ls -l" });
  expect(inputOf(screen.toSpliced(1, 1))).toEqual({ command: "ls …" });
});

test("a dialog whose choices are not drawn yet, or stand above it, asks nothing", () => {
  const lines = screenFixture("gemini", "permission-command").split("\n");
  const choice = lines.findIndex((line) => /^│ . 1\. /u.test(line));
  expect(parseShown(lines.slice(0, choice).join("\n"))).toEqual({});
  const above = [lines[choice], ...lines.slice(0, choice)];
  expect(parseShown(above.join("\n"))).toEqual({});
});

test("a question has its words and its choices, without the one to type something", () => {
  expect(shown("question").signal).toMatchObject({
    rule: "question_dialog",
    asked: { for: "question", tool: "ask_user", question: "Which one?", options: ["A", "B"] },
  });
});

test("texts that wait for the end of the turn are taken, and nothing else is below their title", () => {
  expect(shown("queued")).toEqual({ taken: ["[[text:queued]]"] });
  const title = "  Queued (press ↑ to edit):";
  const screen = (...lines: readonly string[]) => parseShown([title, ...lines].join("\n"));
  expect(screen("    one", "    two", "", "    no text")).toEqual({ taken: ["one", "two"] });
  expect(screen("")).toEqual({});
});

test.each(["working", "after-turn", "trust-dialog"])(
  "the screen %s shows neither request nor text",
  (name) => {
    expect(shown(name)).toEqual({});
  },
);
