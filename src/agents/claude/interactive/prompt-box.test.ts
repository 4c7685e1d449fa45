import { describe, expect, test } from "vitest";
import { screenFixture } from "../../../testing/agents/screen-fixtures.ts";
import { emptyBox } from "./prompt-box.ts";

const screen = (name: string) => screenFixture("claude", name);
const RULE = "─".repeat(120);
const boxOf = (text: string) => `${RULE}\n❯ ${text}\n${RULE}\n  ⏸ manual mode on`;

describe("a prompt box of Claude", () => {
  test.each(["prompt", "prompt-manual", "running", "queued"])("of %s is empty", (name) => {
    expect(emptyBox(screen(name))).toBeUndefined();
  });

  test.each(["trust", "permission-bash", "permission-bash-long", "question", "questions", "plan"])(
    "is not on the screen of %s",
    (name) => {
      expect(emptyBox(screen(name))).toBeUndefined();
    },
  );

  test("is emptied before the cursor and behind it, for each line twice", () => {
    expect(emptyBox(screen("box-lines"))).toBe("\u0015".repeat(6) + "\u000b".repeat(6));
    expect(emptyBox(screen("box-paste"))).toBe("\u0015\u0015\u000b\u000b");
  });

  test("that takes a command of the shell is left, too", () => {
    expect(emptyBox(screen("box-shell"))).toBe("\u0015\u0015\u000b\u000b\u007f");
    expect(emptyBox(`${RULE}\n!\n${RULE}`)).toBe("\u0015\u0015\u000b\u000b\u007f");
  });

  test("shows a hint while it is empty", () => {
    expect(emptyBox(boxOf('Try "refactor main.ts"'))).toBeUndefined();
    expect(emptyBox(boxOf("Try it"))).toBeDefined();
  });

  test.each(["", "❯ typed", `${RULE}\nno box\n${RULE}`, `${RULE}\n❯ no end`])("is none in %j", (text) => {
    expect(emptyBox(text)).toBeUndefined();
  });
});
