import { describe, expect, test } from "vitest";
import type { ClaudeMemory } from "../memory.ts";
import { parseLiveFile } from "./live-file.ts";

/** A file without the fields of its state. */
const FILE = { pid: 3164, sessionId: "s1", cwd: "/project", version: "2.1.325", kind: "interactive" };
const parse = (content: object, memory: ClaudeMemory = {}) => parseLiveFile({ ...FILE, ...content }, memory);
const signal = (content: object, memory?: ClaudeMemory) => parse(content, memory).signal;
const REPORTS: ClaudeMemory = { reports: true, fileStatus: "idle", fileSession: "s1" };
const DIALOG = { status: "waiting", waitingFor: "dialog open" };

describe("the live file of Claude", () => {
  test("tells who it is", () => {
    expect(parse({}).identity).toEqual({ nativeId: "s1", agentVersion: "2.1.325" });
  });

  test.each([
    [{ status: "busy" }, { says: "working" }],
    [{ status: "idle" }, { says: "ready" }],
    [
      { status: "waiting", waitingFor: "permission prompt" },
      { says: "asking", asked: { for: "permission" } },
    ],
    [
      { status: "waiting", waitingFor: "input needed" },
      { says: "asking", asked: { for: "question" } },
    ],
    [
      { status: "waiting", waitingFor: "constructor" },
      { says: "asking", asked: { for: "dialog" } },
    ],
    [DIALOG, { says: "asking", fillsGap: true, asked: { for: "dialog" } }],
  ])("with %o is a signal where nothing is reported", (content, expected) => {
    expect(signal(content, { fileStatus: "busy" })).toMatchObject({ source: "file", ...expected });
  });

  test("is silent where reports come, but for a dialog that they know nothing of", () => {
    const quiet = [{ status: "busy" }, { status: "idle" }, { status: "waiting", waitingFor: "input needed" }];
    for (const content of quiet) expect(signal(content, REPORTS)).toBeUndefined();
    expect(signal(DIALOG, REPORTS)).toMatchObject({ says: "asking", fillsGap: true });
  });

  test("tells what is behind a dialog that was closed, once", () => {
    const open = { ...REPORTS, ...parse(DIALOG, REPORTS).memory };
    const closed = parse({ status: "idle" }, open);
    expect(closed.signal).toMatchObject({ says: "ready", source: "file" });
    expect(signal({ status: "busy" }, { ...open, ...closed.memory })).toBeUndefined();
  });

  test("does not take its first rest for a prompt: it is still loading", () => {
    expect(signal({ status: "idle" })).toBeUndefined();
    expect(signal({})).toBeUndefined();
  });

  test.each([
    ["sdk-cli", -20, undefined],
    ["sdk-ts", 3, undefined],
    ["sdk-cli", 1100, "ready"],
    ["cli", -20, "ready"],
  ])("of a session run by %s, with a rest %d ms after its start, says %s", (entrypoint, after, says) => {
    const started = { entrypoint, startedAt: 1_795_042_418_778, statusUpdatedAt: 1_795_042_418_778 + after };
    const first = parse({ ...started, status: "idle" }, { fileStatus: "unseen" });
    expect(first.signal?.says).toBe(says);
    const again = parse({ ...started, status: "idle" }, { fileStatus: "unseen", ...first.memory });
    expect(again.signal?.says).toBe(says);
  });

  test("notes that another conversation was begun", () => {
    expect(parse({}).memory).not.toHaveProperty("cleared");
    expect(parse({ sessionId: "s2" }, REPORTS)).toMatchObject({
      identity: { nativeId: "s2" },
      memory: { fileSession: "s2", cleared: true },
    });
  });
});
