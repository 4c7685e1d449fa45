import { expect, test } from "vitest";
import { eventProblems, types } from "./json-shapes.ts";

test("docs/json.md documents every event kind and field, and no other", () => {
  expect(eventProblems()).toEqual([]);
});

test.each([
  ["a kind that is not documented", 'Happened<"silent",', 'Happened<"asleep",', /not documented.*"silent"/],
  ["a kind that does not exist", 'Happened<"silent",', 'Happened<"asleep",', /not there.*"asleep"/],
  ["a field that is not documented", "killed: number }", "}", /not documented.*"ended\.exit\.killed"/],
  ["a field that does not exist", 'by: "text"', 'wings: 2; by: "text"', /not there.*"turn_began\.wings"/],
  ["a field that may be missing", "about?: string", "about: string", /not documented.*"turn_began\.about\?"/],
  ["a value that is not documented", '"holder_lost" |', "", /other values.*holder_lost/],
])("the comparison of events finds %s", (_, documented, changed, problem) => {
  expect(types).toContain(documented);
  expect(eventProblems(types.replace(documented, changed)).join("\n")).toMatch(problem);
});
