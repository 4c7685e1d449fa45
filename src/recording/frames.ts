import { type Moment, momentLabel } from "../domain/transcript/moment.ts";
import { generationsOf, isStateMark, readRecording } from "./recording-segments.ts";

/** One thing that a recording shows: output, a new size (`120x40`), or a marker. */
export interface Frame {
  readonly atMs: number;
  readonly kind: "o" | "r" | "m";
  readonly text: string;
  /** The text of a marker that stands for a moment of the record. */
  readonly moment?: Moment;
}

/** A full reset: a session that was resumed has a terminal of its own. */
const RESET = "\u001bc";

/** All that is kept of the terminals of a session, oldest first. The marks of states are not among it. */
export function* recordedFrames(folder: string): Iterable<Frame> {
  const generations = generationsOf(folder);
  for (const generation of generations) {
    let isReset = generation === generations[0];
    for (const [seconds, kind, text] of readRecording(folder, generation)) {
      if (kind === "m" && isStateMark(text)) continue;
      const atMs = Math.round(seconds * 1000);
      if (!isReset) yield { atMs, kind: "o", text: RESET };
      isReset = true;
      yield { atMs, kind, text };
    }
  }
}

/** Frames with a marker at each moment, all in order of time. Moments before the first frame stand at its beginning. */
export function* withMarkers(frames: Iterable<Frame>, moments: readonly Moment[]): Iterable<Frame> {
  const left = moments.toSorted((a, b) => a.atMs - b.atMs || a.seq - b.seq);
  let next = 0;
  let lastMs = 0;
  for (const frame of frames) {
    for (; (left[next]?.atMs ?? Number.POSITIVE_INFINITY) < frame.atMs; next++)
      yield marker(left[next] as Moment, lastMs === 0 ? frame.atMs : lastMs);
    lastMs = frame.atMs;
    yield frame;
  }
  for (; next < left.length; next++) yield marker(left[next] as Moment, lastMs);
}

function marker(moment: Moment, leastMs: number): Frame {
  const atMs = Math.max(moment.atMs, leastMs);
  return { atMs, kind: "m", text: momentLabel(moment), moment };
}
