import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Moment } from "../moments.ts";
import { baselineOf, complaints } from "./compare.ts";
import { notOfferedTable, scorecard, withMeasured } from "./render.ts";
import { tally } from "./tally.ts";

function moment(given: Partial<Moment> = {}): Moment {
  return {
    program: "claude",
    version: "1.0",
    kind: "interactive",
    row: "a turn",
    isSlow: false,
    moment: "done",
    expected: "stopped",
    got: "stopped",
    verdict: "right",
    source: "terminal",
    latencyMs: 10,
    isComingUp: false,
    ...given,
  };
}

const WRONG = moment({ moment: "begun", got: "running", verdict: "wrong" });
const ALL = { isShort: false, program: undefined };

describe("the scorecard", () => {
  test("counts verdicts and times for each program, kind and source", () => {
    const times = [1, 2, 3, 4, 100].map((latencyMs) => moment({ latencyMs }));
    const comingUp = moment({ latencyMs: 2000, isComingUp: true });
    const [terminal, hook] = tally([
      ...times,
      comingUp,
      WRONG,
      moment({ source: "hook", latencyMs: null }),
    ]).reverse();
    expect(terminal).toMatchObject({ source: "terminal", right: 6, wrong: 1, unknown: 0, p95Ms: 100 });
    expect(hook).toMatchObject({ source: "hook", right: 1, medianMs: null });
  });

  test("is put between its marks, and nothing else of a page is touched", () => {
    const page = "before\n<!-- measured -->\nold\n<!-- /measured -->\nafter\n";
    const filled = withMeasured(page, [moment()]);
    expect(filled).toMatch(/^before\n<!-- measured -->\n\| program[\s\S]*<!-- \/measured -->\nafter\n$/);
    expect(withMeasured(filled, [moment()])).toBe(filled);
    expect(() => withMeasured("no marks", [])).toThrow("no place");
  });

  test("leaves one line for each program and kind to the reference of all agents", () => {
    const moments = [
      moment(),
      WRONG,
      moment({ row: "another", source: "hook" }),
      moment({ program: "codex" }),
    ];
    const filled = withMeasured("<!-- measured --><!-- /measured -->", moments);
    expect(filled.split("\n").slice(3, -1)).toEqual([
      "| claude 1.0 | interactive | hook, terminal | 2 of 3 |",
      "| codex 1.0 | interactive | terminal | 1 of 1 |",
    ]);
  });

  test("is what the reference points to: it says limits and time-outs itself, and measurements in a few lines", () => {
    const page = readFileSync(
      join(import.meta.dirname, "..", "..", "..", "docs", "agent-lifecycle.md"),
      "utf8",
    );
    const measured = page.slice(page.indexOf("<!-- measured -->"));
    expect(measured.split("\n").length).toBeLessThan(20);
    for (const word of ["48,000", "`session.timeout`", "`session.idle_timeout`", "scorecard.md"])
      expect(page).toContain(word);
  });

  test("says what is not offered, and what was seen on the program, as the rows have it", () => {
    const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "scorecard.md"), "utf8");
    expect(page).toContain(`## Not offered\n\n${notOfferedTable()}\n`);
  });

  test("names what was wrong", () => {
    expect(scorecard([moment()], 1)).toContain("None.");
    expect(scorecard([WRONG], 3)).toContain("a turn: begun: stopped expected, running shown");
  });
});

describe("a run is worse than before", () => {
  const baseline = baselineOf([moment(), moment({ row: "a long one", isSlow: true })]);

  test("where a moment is wrong", () => {
    expect(complaints([moment(), WRONG], { ...baseline, moments: [] }, ALL)).toEqual([
      expect.stringContaining("wrong: claude interactive: a turn: begun"),
    ]);
  });

  test("where a moment that was right is not reached", () => {
    expect(complaints([moment()], baseline, ALL)).toEqual([expect.stringContaining("a long one")]);
    expect(complaints([moment()], baseline, { isShort: true, program: undefined })).toEqual([]);
    expect(complaints([], baseline, { isShort: true, program: "codex" })).toEqual([]);
  });

  test("and not by a moment that is new", () => {
    const more = [moment(), moment({ row: "a long one" }), moment({ row: "a new one" })];
    expect(complaints(more, baseline, ALL)).toEqual([]);
  });
});
