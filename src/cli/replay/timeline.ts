import type { Moment } from "../../domain/transcript/moment.ts";
import type { Frame } from "../../recording/frames.ts";

/** A frame at its time in the replay. */
export interface Point {
  readonly ms: number;
  readonly frame: Frame;
}

export interface TimelineMarker {
  readonly ms: number;
  readonly moment: Moment;
}

/** Frames on the time of a replay: from zero on, with silence cut down to a limit. */
export class Timeline {
  readonly points: readonly Point[];
  readonly markers: readonly TimelineMarker[];

  constructor(frames: Iterable<Frame>, idleLimitMs: number) {
    let ms = 0;
    let lastMs: number | undefined;
    const points: Point[] = [];
    for (const frame of frames) {
      ms += Math.min(Math.max(0, frame.atMs - (lastMs ?? frame.atMs)), idleLimitMs);
      lastMs = frame.atMs;
      points.push({ ms, frame });
    }
    this.points = points;
    this.markers = points.flatMap(({ ms: at, frame: { moment } }) => (moment ? [{ ms: at, moment }] : []));
  }

  get durationMs(): number {
    return this.points.at(-1)?.ms ?? 0;
  }

  /** Where a moment of the day lies: at the last frame before it. */
  placeOf(atMs: number): number {
    return this.points.findLast(({ frame }) => frame.atMs <= atMs)?.ms ?? 0;
  }

  /** The marker that was passed last at this time. */
  markerAt(ms: number): TimelineMarker | undefined {
    return this.markers.findLast((marker) => marker.ms <= ms);
  }

  nextMarker(ms: number): TimelineMarker | undefined {
    return this.markers.find((marker) => marker.ms > ms);
  }

  previousMarker(ms: number): TimelineMarker | undefined {
    return this.markers.findLast((marker) => marker.ms < ms);
  }
}
