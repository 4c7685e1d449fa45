import { describe, expect, test } from "vitest";
import type { SessionRow } from "../domain/session/session.ts";
import { starting } from "../testing/carried.ts";
import { bodiesTo, rowAfter, T0 } from "../testing/events.ts";
import { describeHits, type Hit, printableExcerpt } from "./describe-hits.ts";
import { goOn } from "./go-on.ts";
import type { Paint } from "./table.ts";
import { widthOf } from "./text.ts";

const carried = starting();
const ended: SessionRow = { ...carried, state: "stopped", nativeId: "n" };
const marking: Paint = (style, text) => (style === "yellow" ? `[${text}]` : text);

function hit(given: Partial<Hit> = {}): Hit {
  const said = {
    role: "assistant",
    kind: "text",
    tool: null,
    excerpt: "a needle in hay",
    marks: [[2, 8]],
  } as const;
  return { session: ended, seq: 7, at: T0, ...said, ...given };
}

function show(given: Partial<Hit>, width = 80): string[] {
  return describeHits([hit(given)], { width, now: Date.parse(T0), paint: marking }).split("\n");
}

describe("a hit", () => {
  test("says where and when it was said, marks its words, and how to go on", () => {
    const session = { ...ended, id: "session-20260108-180000-abcdef", name: "fix", agentName: "planner" };
    expect(show({ session })).toEqual([
      "abcdef  fix  planner  now  assistant",
      "    a [needle] in hay",
      "    rollcall resume abcdef",
    ]);
  });

  test.each([
    [{ kind: "tool_call", tool: "Bash" }, "assistant, Bash"],
    [{ kind: "thinking" }, "assistant, thinking"],
    [{ role: null, kind: "session" }, "session"],
  ])("of %j says who said it: %s", (given, who) => {
    expect(show(given)[0]).toMatch(new RegExp(`  ${who}$`));
  });

  test("fits the terminal, its marks whole or in two lines", () => {
    const lines = show({ excerpt: "word needle two three", marks: [[5, 15]] }, 16);
    expect(lines.slice(1, -1)).toEqual(["    word [needle]", "    [two] three"]);
    expect(show({ session: { ...ended, name: "x".repeat(99) } }, 40).map(widthOf)).toSatisfy(
      (widths: number[]) => Math.max(...widths) <= 40,
    );
  });

  test("shows what would turn the text around or hide, and its marks stay with their words", () => {
    const { excerpt, marks } = printableExcerpt({ excerpt: "a\u202e needle\u200b b", marks: [[3, 9]] });
    expect(excerpt).toBe("a\\u202e needle\\u200b b");
    expect(marks.map(([from, to]) => excerpt.slice(from, to))).toEqual(["needle"]);
  });
});

describe("going on", () => {
  const live = (given: Partial<SessionRow>): SessionRow => ({ ...carried, state: "running", ...given });
  const asking = rowAfter(...bodiesTo("waiting_input"));
  test.each<[string, SessionRow, string]>([
    ["that has ended resumes it", ended, "rollcall resume s"],
    ["that is lost resumes it", { ...ended, state: "unknown" }, "rollcall resume s"],
    ["whose work is done forks it", { ...ended, phase: "completed" }, "rollcall fork s"],
    [
      "whose own id was never seen opens it",
      { ...ended, nativeId: null },
      "rollcall replay s --from entry:7",
    ],
    [
      "that is only a record opens it",
      { ...ended, carried: null, nativeId: null },
      "rollcall replay s --from entry:7",
    ],
    ["that others started forks it", { ...ended, carried: null, origin: "observed" }, "rollcall fork s"],
    ["that was imported resumes it", { ...ended, carried: null, origin: "imported" }, "rollcall resume s"],
    [
      "of a sub-agent opens it",
      { ...ended, carried: null, origin: "subagent" },
      "rollcall replay s --from entry:7",
    ],
    ["that waits for a text sends one", asking, "rollcall send s TEXT"],
    ["that works attaches to it", live({}), "rollcall attach s"],
    ["that is paused continues it", live({ state: "paused" }), "rollcall continue s"],
    ["without a terminal opens it", live({ kind: "autonomous" }), "rollcall replay s --from entry:7"],
    ["outside opens it", live({ origin: "observed" }), "rollcall replay s --from entry:7"],
  ])("with a session %s", (_, session, command) => {
    expect(goOn({ ...session, id: "s" }, 7).command).toBe(command);
  });

  test("with a record that said it of itself shows that", () => {
    expect(goOn({ ...ended, carried: null, nativeId: null, id: "s" }, null)).toEqual({
      how: "open",
      command: "rollcall get s",
    });
  });
});
