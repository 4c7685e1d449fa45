import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outside } from "../../agents/gemini/outside.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { identityIn } from "./transcript-head.ts";

const NATIVE = "d268289b-9ad4-4131-b723-97e1a4a4f452";
const HEAD = `${JSON.stringify({ sessionId: NATIVE, kind: "main" })}\n`;

function identityOf(text: string) {
  using folder = tempFolder();
  const path = join(folder.path, "session-2026-11-18T20-37-d268289b.jsonl");
  writeFileSync(path, text);
  return identityIn(outside, path)?.nativeId;
}

function said(text: string): string {
  const content = [{ text }];
  return `${JSON.stringify({ id: "1", timestamp: "2026-11-18T20:37:00.000Z", type: "user", content })}\n`;
}

test("a file in which nothing was said shows no session", () => {
  const context = JSON.stringify({ $set: { messages: [] } });
  expect(identityOf(`${HEAD}${context}\n`)).toBeUndefined();
});

test("a file shows a session from its first word on", () => {
  expect(identityOf(`${HEAD}${said("hello")}`)).toBe(NATIVE);
});

test("a file whose first word is longer than its head shows a session", () => {
  expect(identityOf(`${HEAD}${said("x".repeat(100_000))}`)).toBe(NATIVE);
});
