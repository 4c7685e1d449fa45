import { describe, expect, test } from "vitest";
import { parseTitle } from "./title.ts";

const OPENS = { via: "http", method: "POST", path: "/session", body: {} };

describe("the title of OpenCode's terminal", () => {
  test("opens a conversation once, as soon as the terminal is up", () => {
    const first = parseTitle("OpenCode", { hasTerminal: true });
    expect(first).toEqual({ reply: OPENS, memory: { isUp: true, isOpening: true } });
    expect(parseTitle("OpenCode", { isUp: true, native: "ses_1" })).toEqual({});
  });

  test("makes a fork where the launch is one", () => {
    expect(parseTitle("OpenCode", { forkOf: "ses_0" }).reply).toEqual({
      ...OPENS,
      path: "/session/ses_0/fork",
    });
  });

  test.each(["OpenCode", "OC | Fix the tests"])("shows that a resumed conversation is there: %s", (title) => {
    const { signal, reply, memory } = parseTitle(title, { native: "ses_1" });
    expect([signal?.says, signal?.source, reply]).toEqual(["ready", "terminal", undefined]);
    expect(memory).toMatchObject({ isUp: true });
  });

  test("opens another conversation when the user has left the one that was shown", () => {
    const { reply, memory } = parseTitle("OpenCode", { isUp: true, isTitled: true, native: "ses_1" });
    expect([reply, memory?.native]).toEqual([OPENS, null]);
  });

  test("opens no other one in the place of one that a call has just made", () => {
    const made = { isUp: true, isTitled: true, native: "ses_2", bornMs: 5, firstMessage: null };
    expect(parseTitle("OpenCode", made)).toEqual({ memory: { isTitled: false } });
  });

  test("says nothing otherwise", () => {
    expect(parseTitle("vim", {})).toEqual({});
  });
});
