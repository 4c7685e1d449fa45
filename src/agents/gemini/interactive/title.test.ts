import { expect, test } from "vitest";
import { parseTitle } from "./title.ts";

test.each([
  ["✦  Working… (project)", "working", "title_working"],
  ["✦  Reading the tests (project)", "working", "title_working"],
  ["⏲  Working… (project)", "working", "title_working"],
  ["✋  Action Required (project)", "asking", "title_action_required"],
  ["◇  Ready (project)", "ready", "title_ready"],
])("the title %s says that it is %s", (title, says, rule) => {
  expect(parseTitle(title, { hasWorked: true }).signal).toMatchObject({ says, rule, source: "terminal" });
});

test("a title that says Ready before the first turn is not believed: it stands over the first dialogs, too", () => {
  expect(parseTitle("◇  Ready (project)", {})).toEqual({});
});

test.each(["", "Gemini CLI (project)", "vim"])("the title %j says nothing", (title) => {
  expect(parseTitle(title, { hasWorked: true })).toEqual({});
});
