import { expect, test } from "vitest";
import type { Frame } from "../../recording/frames.ts";
import { printFrames } from "./print-frames.ts";
import { Timeline } from "./timeline.ts";

const T = 1_700_000_000_000;
const frame = (ms: number, kind: Frame["kind"], text: string): Frame => ({ atMs: T + ms, kind, text });

function printed(frames: readonly Frame[], source: "recording" | "transcript", fromMs: number): string {
  const texts: string[] = [];
  printFrames(new Timeline(frames, 2000), { text: (text) => texts.push(text) }, { source, fromMs });
  return texts.join("");
}

test("a replay of a transcript in a pipe prints who said what, from a place on", () => {
  const frames = [
    ...[frame(0, "r", "80x24"), frame(0, "o", "\u001b[1muser\u001b[0m\r\nfirst\r\n\r\n")],
    frame(1000, "o", "\u001b[1massistant\u001b[0m\r\nsecond\r\n\r\n"),
  ];
  expect(printed(frames, "transcript", 0)).toBe("user\nfirst\n\nassistant\nsecond\n\n");
  expect(printed(frames, "transcript", 1000)).toBe("assistant\nsecond\n\n");
});

test("a replay of a recording in a pipe leaves out what was on the screen before its place", () => {
  const frames = [
    frame(0, "r", "20x5"),
    frame(0, "o", "one\r\n"),
    frame(1000, "o", "\u001b[31mtwo\u001b[0m\r\n"),
  ];
  expect(printed(frames, "recording", 1000)).toBe("two\n");
});
