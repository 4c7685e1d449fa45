import { describe, expect, test } from "vitest";
import type { Moment } from "../../domain/transcript/moment.ts";
import { type Frame, withMarkers } from "../../recording/frames.ts";
import { Stage } from "./stage.ts";
import { Timeline } from "./timeline.ts";

const T = 1_700_000_000_000;
const out = (ms: number, text: string): Frame => ({ atMs: T + ms, kind: "o", text });
const tool = (ms: number, title: string): Moment => ({
  ...{ kind: "tool", atMs: T + ms, eventId: `e${ms}`, seq: ms, title },
});

describe("the timeline of a replay", () => {
  const frames = [out(0, "a"), out(1000, "b"), out(3_600_000, "c"), out(3_600_500, "d")];
  const moments = [tool(500, "Bash"), tool(3_600_000, "Read")];
  const timeline = new Timeline(withMarkers(frames, moments), 2000);

  test("begins at zero and has silence cut down to the limit", () => {
    expect(timeline.points.map(({ ms, frame }) => [ms, frame.text])).toEqual([
      [0, "a"],
      [500, "Bash e500"],
      [1000, "b"],
      [3000, "c"],
      [3000, "Read e3600000"],
      [3500, "d"],
    ]);
    expect(timeline.durationMs).toBe(3500);
  });

  test("finds the marker before, at and after a time", () => {
    const title = (marker: { moment: Moment } | undefined) => marker?.moment.title;
    expect(title(timeline.markerAt(400))).toBeUndefined();
    expect(title(timeline.markerAt(2000))).toBe("Bash");
    expect(title(timeline.nextMarker(500))).toBe("Read");
    expect(title(timeline.nextMarker(3000))).toBeUndefined();
    expect(title(timeline.previousMarker(3500))).toBe("Read");
    expect(title(timeline.previousMarker(3000))).toBe("Bash");
    expect(title(timeline.previousMarker(500))).toBeUndefined();
  });

  test("finds the place of a moment of the day", () => {
    expect([-5, 0, 1500, 3_600_100, 9e9].map((ms) => timeline.placeOf(T + ms))).toEqual([
      0, 0, 1000, 3000, 3500,
    ]);
  });

  test("of nothing is empty", () => {
    expect(new Timeline([], 1).durationMs).toBe(0);
  });
});

describe("the stage of a replay", () => {
  test("shows the screen of each time, forwards and backwards", async () => {
    const frames: Frame[] = [
      { atMs: T, kind: "r", text: "20x3" },
      out(0, "one"),
      out(100, "\u001b[2J\u001b[Htwo"),
      { atMs: T + 200, kind: "r", text: "10x2" },
      out(200, "\r\nthree"),
    ];
    using stage = new Stage(new Timeline(frames, 1e9));
    const at = async (ms: number) => {
      await stage.show(ms);
      return [
        stage.size.cols,
        stage
          .rows(80)
          .map((row) => row.trimEnd())
          .filter(Boolean),
      ];
    };
    expect(await at(0)).toEqual([20, ["one"]]);
    expect(await at(250)).toEqual([10, ["two", "three"]]);
    expect(await at(150)).toEqual([20, ["two"]]);
    expect(await at(0)).toEqual([20, ["one"]]);
  });

  test("of a long recording is the same going back as going on", async () => {
    const frames = Array.from({ length: 60 }, (_, index) =>
      out(index * 10, `${`line ${index} \u001b[3${index % 8}m${"x".repeat(70)}\u001b[0m\r\n`.repeat(600)}`),
    );
    using stage = new Stage(new Timeline(frames, 1e9));
    const forwards: string[] = [];
    for (let index = 0; index < 60; index++) {
      await stage.show(index * 10);
      forwards.push(stage.rows(80).join("\n"));
    }
    for (const index of [59, 40, 21, 3, 50]) {
      await stage.show(index * 10);
      expect(stage.rows(80).join("\n")).toBe(forwards[index]);
    }
  });
});
