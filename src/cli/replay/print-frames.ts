import { plainText } from "../../domain/plain-text.ts";
import { RenderedLog } from "../../host/rendered-log.ts";
import type { Output } from "../framework/output.ts";
import type { Timeline } from "./timeline.ts";

interface Printed {
  readonly source: "recording" | "transcript";
  /** On the time of the replay. */
  readonly fromMs: number;
}

/** Prints at once what a replay shows from a place on: the lines of a terminal as a person saw them, or a transcript. */
export function printFrames(
  timeline: Timeline,
  output: Pick<Output, "text">,
  { source, fromMs }: Printed,
): void {
  const terminal = new RenderedLog();
  const print = (lines: readonly string[]) => {
    for (const line of lines) output.text(`${line}\n`);
  };
  // Frames before the start are part of the screen by then, and are not printed again.
  let isBegun = fromMs === 0;
  for (const { ms, frame } of timeline.points) {
    if (!isBegun && ms >= fromMs) {
      terminal.show({ isOver: true });
      isBegun = true;
    }
    if (source === "transcript" && frame.kind === "o") {
      if (isBegun) output.text(plainText(frame.text).replaceAll("\r\n", "\n"));
    } else if (frame.kind === "o") {
      const lines = terminal.write(frame.text);
      if (isBegun) print(lines);
    } else if (frame.kind === "r") resize(terminal, frame.text);
  }
  if (source === "recording") print(terminal.show({ isOver: true }));
}

function resize(terminal: RenderedLog, text: string): void {
  const [cols = 0, rows = 0] = text.split("x").map(Number);
  if (cols > 0 && rows > 0) terminal.resize({ cols, rows });
}
