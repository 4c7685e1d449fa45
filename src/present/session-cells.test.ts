import { describe, expect, test } from "vitest";
import { shortenWhere } from "./session-cells.ts";

describe("folder and branch", () => {
  test.each([
    ["rollcall:main", 20, "rollcall:main"],
    ["a-long-project-name:feature/a-long-branch", 17, "a-long-…:feature…"],
    ["a-long-project-name:main", 17, "a-long-proj…:main"],
    ["rollcall:feature/a-long-branch", 20, "rollcall:feature/a-…"],
    ["日本語プロジェクト:feature/a-branch", 15, "日本語…:featur…"],
    ["a-long-project-name", 17, "a-long-project-n…"],
    ["a-long-project-name:main", 10, "a-long-pr…"],
  ])("of %s in %d columns are %s", (text, width, shown) => {
    expect(shortenWhere(text, width)).toBe(shown);
  });
});
