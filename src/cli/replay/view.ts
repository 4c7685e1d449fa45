import { cut, printable, widthOf } from "../../present/text.ts";
import { paint } from "../table.ts";

export interface ReplayView {
  readonly rows: readonly string[];
  readonly cols: number;
  readonly height: number;
  readonly name: string;
  readonly ms: number;
  readonly durationMs: number;
  readonly speed: number;
  readonly isRunning: boolean;
  readonly isAtEnd: boolean;
  /** The label of the last marker. */
  readonly moment: string | undefined;
}

const KEYS = "space pause  ←→ 5s  [ ] marker  + - speed  q quit";

/** The lines of the recorded screen that fit, and below them where the replay stands. */
export function replayFrame(view: ReplayView): string[] {
  const { rows, height, cols } = view;
  // The last lines matter most: that is where an agent writes and asks.
  const shown = rows.slice(Math.max(0, lastUsed(rows) - (height - 1)));
  const lines = Array.from({ length: height - 1 }, (_, index) => shown[index] ?? "");
  return [...lines, paint("inverse", statusLine(view, cols))];
}

function lastUsed(rows: readonly string[]): number {
  return rows.findLastIndex((row) => row !== "") + 1;
}

function statusLine(view: ReplayView, cols: number): string {
  const { ms, durationMs, speed, isRunning, isAtEnd, moment, name } = view;
  const mark = isAtEnd ? "■" : isRunning ? "▶" : "‖";
  const place = `${mark} ${clock(ms)} / ${clock(durationMs)}  ${speed}x`;
  const left = cut(printable([` ${place}`, name, moment].filter(Boolean).join("  ")), cols);
  const room = cols - widthOf(left) - widthOf(KEYS) - 3;
  return room < 0 ? left + " ".repeat(cols - widthOf(left)) : `${left}${" ".repeat(room + 2)}${KEYS} `;
}

/** `1:02:03`, or `02:03` below an hour. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3600);
  return (hours > 0 ? [String(hours), ...parts] : parts).join(":");
}
