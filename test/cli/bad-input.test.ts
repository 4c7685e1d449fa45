import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BAD_CALLS } from "./bad-calls.ts";
import { newUser, type User } from "./rollcall.ts";

let user: User;
let before: string;

beforeAll(async () => {
  user = newUser();
  await user.create(
    "--id",
    "s1",
    "--name",
    "nightly",
    "--metadata",
    JSON.stringify({ big: "x".repeat(40_000) }),
  );
  before = await user.everything();
});

afterAll(() => user[Symbol.dispose]());

describe.each(Object.entries(BAD_CALLS))("bad %s", (_group, cases) => {
  test.each(cases.map(([args, says]) => ({ call: shown(args), args, says })))(
    "rollcall $call exits 2 and says what is wrong and what is valid",
    async ({ args, says }) => {
      const given = await user.rollcall([...args.slice(0, 1), "--json", ...args.slice(1)]);
      expect(given).toMatchObject({ code: 2, stdout: "" });
      expect(Object.keys(given.error)).toEqual(["code", "message", "hint"]);
      expect(given.error.code).toMatch(/^(bad_|metadata_too_large)/);
      for (const part of says) expect(`${given.error.message} ${given.error.hint}`).toContain(part);
      expect(given.error.message.length).toBeLessThan(300);
    },
  );
});

test.each([
  [["import", "--from", "scripted"], "claude, codex, gemini, opencode."],
  [["import", "--from", "nope"], "claude, codex, gemini, opencode."],
  [["stats", "--scan", "--from", "nope"], "claude, codex, gemini, opencode."],
  [["hooks", "install", "nope"], "claude."],
])("rollcall %j names only the agents with which it can be done", async (args, types) => {
  const { code, stderr } = await user.rollcall(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(new RegExp(`is not an agent with .*Valid: ${types}\n$`));
});

test("an id that is refused is all that is spoken of", async () => {
  const { code, stderr } = await user.rollcall(["create", "--id", "../x"], { cwd: "/" });
  expect(code).toBe(2);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("none of these calls has changed a record, an event or a file, inside or outside", async () => {
  expect(await user.everything()).toBe(before);
});

test("for people the same is one sentence on standard error and nothing else", async () => {
  const calls = [["list", "--limit", "0"], ["get", "../x"], ["bogus"], ["update", "s1", "--phase", "done"]];
  for (const args of calls) {
    const given = await user.rollcall(args);
    expect(given).toMatchObject({ code: 2, stdout: "" });
    expect(given.stderr).toMatch(/^rollcall: [^\n]+\.\n$/);
  }
});

function shown(args: readonly string[]): string {
  const text = JSON.stringify(args.join(" ")).slice(1, -1);
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
}
