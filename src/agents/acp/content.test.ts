import { expect, test } from "vitest";
import { blockText, toolContent } from "./content.ts";

const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });
const DIFF = { type: "diff", path: "/x", newText: "y" };
const IMAGE = { type: "content", content: { type: "image", mimeType: "image/png" } };

test("the content of a tool call is a text where it is nothing but texts", () => {
  expect(toolContent([text("a"), text("b")])).toBe("a\nb");
});

test.each([
  ["a diff", [text("a"), DIFF]],
  ["an image", [text("a"), IMAGE]],
])("the content of a tool call with %s is kept as it is", (_, parts) => {
  expect(toolContent(parts)).toEqual(parts);
});

test("a tool call without content has none", () => {
  expect([toolContent([]), toolContent(undefined)]).toEqual([null, null]);
});

test.each([
  [{ type: "text", text: "words" }, "words"],
  [{ type: "resource_link", uri: "file:///a", name: "a" }, "file:///a"],
  [{ type: "resource_link", name: "a" }, "a"],
  [{ type: "resource", resource: { text: "inside", uri: "file:///a" } }, "inside"],
  [{ type: "resource", resource: { uri: "file:///a" } }, "file:///a"],
  [{ type: "image", mimeType: "image/png" }, "[image/png]"],
  [{ type: "audio" }, "[audio]"],
  [{}, "[content]"],
])("the block %j is the text %j", (block, expected) => {
  expect(blockText(block)).toBe(expected);
});
