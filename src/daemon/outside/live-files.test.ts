import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Agent } from "../../agents/agent.ts";
import { findAgent } from "../../agents/registry.ts";
import { startTimeOf } from "../../machine/process.ts";
import { processIn } from "./live-files.ts";

const claude = findAgent("claude") as Agent;
const conversation = "5d1f2b1e-0000-4000-8000-000000000001";
let config: string;

beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), "rollcall-live-files-"));
});

afterEach(() => rmSync(config, { recursive: true, force: true }));

test("a process that says to be in a conversation is found by its own file", () => {
  writeTold({ pid: process.pid, procStart: startTimeOf(process.pid) });
  expect(processIn(claude, { CLAUDE_CONFIG_DIR: config }, conversation)?.pid).toBe(process.pid);
  expect(processIn(claude, { CLAUDE_CONFIG_DIR: config }, "another")).toBeUndefined();
});

test("a file that was left behind does not speak for whoever has its pid now", () => {
  writeTold({ pid: process.pid, procStart: "1" });
  expect(processIn(claude, { CLAUDE_CONFIG_DIR: config }, conversation)).toBeUndefined();
});

test("what is no live file is not taken for one", () => {
  writeTold({ pid: 1 });
  writeFileSync(join(config, "sessions", "1.key"), "no JSON");
  writeFileSync(join(config, "sessions", `${process.pid}.json`), "cut in the mid");
  expect(processIn(claude, { CLAUDE_CONFIG_DIR: config }, conversation)?.pid).toBe(1);
  expect(processIn(claude, { CLAUDE_CONFIG_DIR: join(config, "none") }, conversation)).toBeUndefined();
});

function writeTold(told: { readonly pid: number; readonly procStart?: string | undefined }): void {
  const folder = join(config, "sessions");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${told.pid}.json`), JSON.stringify({ sessionId: conversation, ...told }));
}
