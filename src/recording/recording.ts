import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Redactor } from "../domain/redact/redact.ts";
import { RedactingStream } from "../domain/redact/redact-stream.ts";
import { ReportSieve, type Sifted } from "../domain/screen/report-sieve.ts";
import type { State } from "../domain/session/state.ts";
import { bytesOfStart, Utf8Chunks } from "../domain/utf8.ts";
import { PendingBytes } from "./pending-bytes.ts";
import {
  eventsIn,
  isStateMark,
  type RecordedEvent,
  segmentNames,
  segmentPath,
  segmentsOf,
  stateMark,
} from "./recording-segments.ts";

/** Small enough that dropping the oldest one drops little. */
const SEGMENT_BYTES = 2 * 1024 * 1024;
/** Text that was written before and may introduce a secret. */
const CONTEXT_CHARS = 4096;

export interface RecordingOptions {
  readonly folder: string;
  readonly generation: number;
  /** The most for all generations together, the oldest goes first; 0 records nothing. */
  readonly mostBytes: number;
  readonly redactor: Redactor;
  readonly now: () => number;
  /** Is told each report that stands in the output; after another daemon wrote, the last ones once more. */
  readonly reported: (report: Reported) => void;
  /** Is told what the terminal showed, redacted. */
  readonly shown?: (text: string) => void;
}

/** An agent's report of its own state, and the offset behind it. */
export interface Reported {
  readonly text: string;
  readonly offset: number;
}

/**
 * The output of a terminal, redacted, in segments of lines. Each line says when, and how far into the output it reaches, so
 * that a daemon that comes back goes on exactly there. Input is not recorded. The agent's reports of its state are left out:
 * what became of them is in the marks. `castLines` makes an asciicast of it.
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
  readonly #sieve: ReportSieve;
  /** Came through and is in no line yet: a character that is not whole, or what could become a secret. */
  readonly #pending = new PendingBytes();
  #lastSeconds: number;
  #lastOffset: number;
  #shownSize: string;
  #shownState: string;

  constructor(options: RecordingOptions) {
    const { folder, generation, redactor } = options;
    this.#options = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { segment, events } = recover(folder, generation);
    const [seconds, , , offset] = events.at(-1) ?? [0, "o", "", 0];
    this.#segment = segment;
    this.#lastSeconds = seconds;
    this.#taken = offset;
    this.#sieve = new ReportSieve(offset);
    this.#lastOffset = offset;
    this.#shownSize = events.findLast(([, kind]) => kind === "r")?.[2] ?? "";
    this.#shownState = events.findLast(([, kind, text]) => kind === "m" && isStateMark(text))?.[2] ?? "";
    const shown = events.flatMap(([, kind, text]) => (kind === "o" ? [text] : [])).join("");
    this.#stream = new RedactingStream(redactor, shown.slice(-CONTEXT_CHARS));
  }

  /** Up to where the output is recorded. What comes again from there on is taken once. */
  get offset(): number {
    return this.#pending.at ?? this.#sieve.at;
  }

  /**
   * Output that begins elsewhere than the last ended was dropped in between, and the recording says so. Keeps no view of
   * the bytes: they are the caller's again.
   */
  write(offset: number, bytes: Buffer): void {
    if (offset > this.#taken) this.#gap(offset);
    const fresh = bytes.subarray(Math.max(0, this.#taken - offset));
    if (fresh.length === 0) return;
    this.#taken += fresh.length;
    this.#take(this.#sieve.push(fresh));
  }

  /** So that a replay shows what the session was doing. */
  showState(state: State, waitingFor: string | null): void {
    const mark = stateMark(state, waitingFor);
    if (mark === this.#shownState) return;
    this.#shownState = mark;
    this.#append("m", mark);
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

  /** Everything below the offset is safe then. */
  sync(): void {
    if (this.#fd !== undefined) fsyncSync(this.#fd);
  }

  #take(sifted: readonly Sifted[]): void {
    for (const piece of sifted) {
      if (piece.kind === "report") this.#options.reported({ text: piece.text, offset: piece.end });
      else {
        this.#pending.add(piece.at, piece.bytes);
        this.#give(this.#text.push(piece.bytes));
      }
    }
  }

  #give(text: string): void {
    const came = this.#stream.held + text;
    const shown = this.#stream.push(text);
    const given = came.slice(0, came.length - this.#stream.held.length);
    this.#pending.take(bytesOfStart(this.#pending.bytes, given));
    this.#show(shown);
  }

  #flush(): void {
    this.#take(this.#sieve.end());
    const rest = this.#stream.push(this.#text.end()) + this.#stream.end();
    this.#pending.clear();
    this.#show(rest);
  }

  #show(text: string): void {
    this.#append("o", text);
    if (text !== "") this.#options.shown?.(text);
  }

  #gap(offset: number): void {
    const lost = offset - this.#taken;
    this.#flush();
    this.#sieve.end(offset);
    this.#taken = offset;
    this.#append("m", `${lost} bytes were dropped`);
  }

  #append(kind: RecordedEvent[1], text: string): void {
    const { now, mostBytes } = this.#options;
    if (text === "" || mostBytes === 0) return;
    this.#lastSeconds = Math.max(this.#lastSeconds, now() / 1000);
    const event: RecordedEvent = [this.#lastSeconds, kind, text, this.offset];
    // As text: a buffer for each line would wait for the collector, and floods fill memory with them.
    const line = `${JSON.stringify(event)}\n`;
    this.#fd ??= this.#open();
    const isFull = this.#size + Buffer.byteLength(line) > segmentBytes(mostBytes);
    if (this.#size > 0 && isFull) this.#nextSegment();
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
