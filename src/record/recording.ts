import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Redactor } from "../domain/redact.ts";
import { RedactingStream } from "../domain/redact-stream.ts";
import { bytesOfStart, Utf8Chunks } from "../domain/utf8.ts";

/** Small enough that dropping the oldest one drops little. */
const SEGMENT_BYTES = 2 * 1024 * 1024;
/** What was written before and may introduce a secret. */
const CONTEXT_CHARS = 4096;

/** One line of a recording: seconds since the first, what it is, the text, and the offset in the output behind it. */
export type RecordedEvent = readonly [seconds: number, kind: "o" | "r" | "m", text: string, offset: number];

export interface RecordingOptions {
  readonly folder: string;
  readonly generation: number;
  /** Of all generations together, the oldest goes first; 0 records nothing. */
  readonly mostBytes: number;
  readonly redactor: Redactor;
  readonly now: () => number;
  readonly startedAtMs: number;
}

/**
 * What a terminal showed, redacted, in segments of asciicast events. Each line says how far into the output it
 * reaches, so that a daemon that comes back goes on exactly there.
 */
export class Recording {
  readonly #options: RecordingOptions;
  readonly #text = new Utf8Chunks();
  readonly #stream: RedactingStream;
  #fd: number | undefined;
  #size = 0;
  #segment: number;
  /** Bytes of output that came in. */
  #taken: number;
  /** Came in and is in no line yet: a character that is not whole, or what could become a secret. */
  #pending: Buffer = Buffer.alloc(0);
  #lastSeconds: number;
  #lastOffset: number;
  #shownSize: string;

  constructor(options: RecordingOptions) {
    const { folder, generation, redactor } = options;
    this.#options = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { segment, events } = recover(folder, generation);
    const [seconds, , , offset] = events.at(-1) ?? [0, "o", "", 0];
    this.#segment = segment;
    this.#lastSeconds = seconds;
    this.#taken = offset;
    this.#lastOffset = offset;
    this.#shownSize = events.findLast(([, kind]) => kind === "r")?.[2] ?? "";
    const shown = events.flatMap(([, kind, text]) => (kind === "o" ? [text] : [])).join("");
    this.#stream = new RedactingStream(redactor, shown.slice(-CONTEXT_CHARS));
  }

  /** Up to where the output is recorded. What comes again from there on is taken once. */
  get offset(): number {
    return this.#taken - this.#pending.length;
  }

  /** Output that begins elsewhere than the last ended was dropped in between, and the recording says so. */
  write(offset: number, bytes: Buffer): void {
    if (offset > this.#taken) this.#gap(offset);
    const fresh = bytes.subarray(Math.max(0, this.#taken - offset));
    if (fresh.length === 0) return;
    this.#taken += fresh.length;
    this.#pending = Buffer.concat([this.#pending, fresh]);
    this.#give(this.#text.push(fresh));
  }

  resize(cols: number, rows: number): void {
    const size = `${cols}x${rows}`;
    if (size === this.#shownSize) return;
    this.#shownSize = size;
    this.#append("r", size);
  }

  /** The output is over: writes also what was held back. */
  end(): void {
    this.#flush();
    this.close();
  }

  /** The output goes on, for another writer: what was held back comes again. */
  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** What is below the offset is safe then. */
  sync(): void {
    if (this.#fd !== undefined) fsyncSync(this.#fd);
  }

  #give(text: string): void {
    const came = this.#stream.held + text;
    const shown = this.#stream.push(text);
    const given = came.slice(0, came.length - this.#stream.held.length);
    this.#pending = this.#pending.subarray(bytesOfStart(this.#pending, given));
    this.#append("o", shown);
  }

  #flush(): void {
    const rest = this.#stream.push(this.#text.end()) + this.#stream.end();
    this.#pending = Buffer.alloc(0);
    this.#append("o", rest);
  }

  #gap(offset: number): void {
    this.#flush();
    const lost = offset - this.#taken;
    this.#taken = offset;
    this.#append("m", `${lost} bytes were dropped`);
  }

  #append(kind: RecordedEvent[1], text: string): void {
    const { now, startedAtMs, mostBytes } = this.#options;
    if (text === "" || mostBytes === 0) return;
    this.#lastSeconds = Math.max(this.#lastSeconds, (now() - startedAtMs) / 1000);
    const event: RecordedEvent = [this.#lastSeconds, kind, text, this.offset];
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    this.#fd ??= this.#open();
    if (this.#size > 0 && this.#size + line.length > segmentBytes(mostBytes)) this.#nextSegment();
    this.#size += writeSync(this.#fd, line);
    this.#lastOffset = this.offset;
  }

  #open(): number {
    const path = segmentPath(this.#options.folder, this.#options.generation, this.#segment);
    const fd = openSync(path, "a", 0o600);
    this.#size = statSync(path).size;
    return fd;
  }

  /** Begins with the size of the terminal, for those before it may be gone when it is read. */
  #nextSegment(): void {
    this.close();
    this.#segment += 1;
    makeRoom(this.#options.folder, this.#options.mostBytes);
    this.#fd = this.#open();
    if (this.#shownSize === "") return;
    const size: RecordedEvent = [this.#lastSeconds, "r", this.#shownSize, this.#lastOffset];
    this.#size += writeSync(this.#fd, `${JSON.stringify(size)}\n`);
  }
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

/** The last segment with something in it; what a killed writer left behind its last whole line is cut off. */
function recover(folder: string, generation: number): { segment: number; events: RecordedEvent[] } {
  const segments = segmentsOf(folder, generation);
  const last = segments.at(-1) ?? 0;
  for (const segment of segments.toReversed()) {
    const path = segmentPath(folder, generation, segment);
    const bytes = readFileSync(path);
    const end = endOfEvents(bytes);
    if (end < bytes.length) truncateSync(path, end);
    if (end > 0)
      return { segment: last, events: bytes.toString("utf8", 0, end).split("\n").flatMap(eventsIn) };
  }
  return { segment: last, events: [] };
}

function endOfEvents(bytes: Buffer): number {
  let end = bytes.lastIndexOf("\n") + 1;
  while (end > 0) {
    const start = end < 2 ? 0 : bytes.lastIndexOf("\n", end - 2) + 1;
    if (eventsIn(bytes.toString("utf8", start, end - 1)).length > 0) break;
    end = start;
  }
  return end;
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

/** For one more segment, at the cost of the oldest. */
function makeRoom(folder: string, mostBytes: number): void {
  const paths = segmentNames(folder).map((name) => join(folder, name));
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  let total = sizes.reduce((sum, size) => sum + size, segmentBytes(mostBytes));
  for (const [index, path] of paths.entries()) {
    if (total <= mostBytes) return;
    rmSync(path, { force: true });
    total -= sizes[index] ?? 0;
  }
}

function segmentBytes(mostBytes: number): number {
  return Math.min(SEGMENT_BYTES, Math.ceil(mostBytes / 4));
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

function segmentsOf(folder: string, generation: number): number[] {
  return segmentNames(folder)
    .filter((name) => name.startsWith(`${generation}-`))
    .map((name) => Number(name.slice(`${generation}-`.length, -".cast".length)));
}

function segmentPath(folder: string, generation: number, segment: number): string {
  return join(folder, `${generation}-${String(segment).padStart(6, "0")}.cast`);
}
