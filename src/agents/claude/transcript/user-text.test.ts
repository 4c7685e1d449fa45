import { expect, test } from "vitest";
import { userEntries } from "./user-text.ts";

test.each([
  ["alone is no text of a person", "<ide_opened_file>a.ts</ide_opened_file>", []],
  ["before a prompt is left out of it", "<ide_selection>1\n2</ide_selection>\n Fix it.", ["Fix it."]],
  ["is left out however often it comes", "<ide_a>x</ide_a><ide_b>y</ide_b>Go", ["Go"]],
  ["inside a prompt stays", "Why <ide_a>x</ide_a>?", ["Why <ide_a>x</ide_a>?"]],
])("the context of an editor %s", (_what, text, texts) => {
  expect(userEntries(text).map((entry) => entry.text)).toEqual(texts);
});
