import { expect, test } from "vitest";
import { type LiveUser, newLiveUser } from "./user.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be left.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
/** Taking out what is inside builds a live OSC 52; then the same with 8-bit codes, in UTF-8. */
const EVIL = String.raw`\033\033[0m]52;c;bmVzdA==\007one\302\2332J\302\23552;c;bmVzdA==\302\234two\n`;

test.each(["interactive", "autonomous"])("no escape of an %s session passes through a pipe", async (kind) => {
  await using user = newLiveUser();
  const { id } = await user.start(["--kind", kind, "--", "printf", EVIL]);
  await user.reach(id, "stopped");
  const entry = { role: "assistant", kind: "text", tool: null } as const;
  await using rollcall = await user.library();
  await rollcall.addEntry(id, { ...entry, text: "three\u001b\u001b[0m]52;c;bmVzdA==\u0007\u009b2Jfour" });
  for (const args of [
    ["logs", id],
    ["logs", id, "--json"],
    ["data", id],
    ["data", id, "--json"],
    ["export", id, "--format", "md"],
    ["export", id],
    ["events", id],
    ["events", id, "--json"],
    ["get", id, "--json"],
  ])
    expect(await shownBy(user, args), args.join(" ")).not.toMatch(CONTROL);
  expect(await shownBy(user, ["logs", id])).toContain("two");
  expect(await shownBy(user, ["data", id])).toContain("three");
});

test("invisible characters of names and purposes are written out in tables", async () => {
  await using user = newLiveUser();
  await user.upsert({ id: "s1", name: "pay\u200bpal", purpose: "a\u2060b\u202ec" });
  const { stdout } = await user.ok(["list"]);
  expect(stdout).toContain("pay\\u200bpal");
  expect(stdout).toContain("a\\u2060b\\u202ec");
});

async function shownBy(user: LiveUser, args: readonly string[]): Promise<string> {
  return (await user.ok(args)).stdout;
}
