import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { State } from "../domain/session/state.ts";

/** One line of a recording: seconds since 1970, what it is, the text, and the offset in the output behind it. */
export type RecordedEvent = readonly [seconds: number, kind: "o" | "r" | "m", text: string, offset: number];

/** The mark of a state. */
export function stateMark(state: State, waitingFor: string | null): string {
  return `state: ${state}${waitingFor === null ? "" : ` (${waitingFor})`}`;
}

export function isStateMark(text: string): boolean {
  return text.startsWith("state: ");
}

/** Everything that is kept of the terminal of a session, oldest first. */
export function* readRecording(folder: string, generation?: number): Iterable<RecordedEvent> {
  for (const name of segmentNames(folder)) {
    if (generation !== undefined && !name.startsWith(`${generation}-`)) continue;
    yield* readIfThere(join(folder, name)).split("\n").flatMap(eventsIn);
  }
}

/** Its end: as many whole segments as hold so many bytes. */
export function* readRecordingEnd(
  folder: string,
  generation: number,
  leastBytes: number,
): Iterable<RecordedEvent> {
  const paths = segmentsOf(folder, generation).map((segment) => segmentPath(folder, generation, segment));
  const last: string[] = [];
  for (let bytes = 0; bytes < leastBytes && paths.length > 0; ) {
    const path = paths.pop() as string;
    last.unshift(path);
    bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  for (const path of last) yield* readIfThere(path).split("\n").flatMap(eventsIn);
}

/** A line that was not written whole, or was damaged since, tells nothing. */
export function eventsIn(line: string): RecordedEvent[] {
  if (!line.endsWith("]")) return [];
  try {
    const event = JSON.parse(line) as RecordedEvent;
    const [seconds, kind, text, offset] = event;
    const isEvent = typeof seconds === "number" && typeof text === "string" && Number.isInteger(offset);
    return isEvent && ["o", "r", "m"].includes(kind) ? [event] : [];
  } catch {
    return [];
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // The oldest may be dropped while one reads.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** The files of a recording, oldest first. */
export function segmentNames(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^\d+-\d+\.cast$/.test(name));
    return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  } catch {
    return [];
  }
}

/** How often the session was launched, as far as its recordings are kept. */
export function generationsOf(folder: string): number[] {
  return [...new Set(segmentNames(folder).map((name) => Number.parseInt(name, 10)))];
}

export function segmentsOf(folder: string, generation: number): number[] {
  return segmentNames(folder)
    .filter((name) => name.startsWith(`${generation}-`))
    .map((name) => Number(name.slice(`${generation}-`.length, -".cast".length)));
}

export function segmentPath(folder: string, generation: number, segment: number): string {
  return join(folder, `${generation}-${String(segment).padStart(6, "0")}.cast`);
}
