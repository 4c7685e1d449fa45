import { describe, expect, test } from "vitest";
import type { Notes } from "../agent.ts";
import { file } from "./file.ts";

/** Without what says nothing of its state. */
const FILE = { pid: 3164, sessionId: "s1", cwd: "/project", version: "2.1.325", kind: "interactive" };
const seen = (content: object, notes: Notes = {}) => file({ ...FILE, ...content }, notes);
const signal = (content: object, notes?: Notes) => seen(content, notes).signal;
const REPORTS: Notes = { reports: "yes", file: "idle", session: "s1" };
const DIALOG = { status: "waiting", waitingFor: "dialog open" };

describe("the live file", () => {
  test("tells who it is", () => {
    expect(seen({}).identity).toEqual({ nativeId: "s1", agentVersion: "2.1.325" });
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
    expect(signal(content, { file: "busy" })).toMatchObject({ source: "file", ...expected });
  });

  test("is silent where reports come, but for a dialog that they know nothing of", () => {
    const quiet = [{ status: "busy" }, { status: "idle" }, { status: "waiting", waitingFor: "input needed" }];
    for (const content of quiet) expect(signal(content, REPORTS)).toBeUndefined();
    expect(signal(DIALOG, REPORTS)).toMatchObject({ says: "asking", fillsGap: true });
  });

  test("tells what is behind a dialog that was closed, once", () => {
    const open = { ...REPORTS, ...seen(DIALOG, REPORTS).notes };
    const closed = seen({ status: "idle" }, open);
    expect(closed.signal).toMatchObject({ says: "ready", source: "file" });
    expect(signal({ status: "busy" }, { ...open, ...closed.notes })).toBeUndefined();
  });

  test("does not take its first rest for a prompt: it is still loading", () => {
    expect(signal({ status: "idle" })).toBeUndefined();
    expect(signal({})).toBeUndefined();
  });

  test("notes that another conversation was begun", () => {
    expect(seen({}).notes).not.toHaveProperty("cleared");
    expect(seen({ sessionId: "s2" }, REPORTS)).toMatchObject({
      identity: { nativeId: "s2" },
      notes: { session: "s2", cleared: "yes" },
    });
  });
});
