import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Parsed } from "../../agents/parsed.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";
import { type HolderMessage, STREAMS, type Stream } from "../../host/holder-message.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import type { DeliveryPort, Facts, HolderPort, IntakePort, Logs, MemoryPort } from "../session/ports.ts";
import { Backlog } from "./backlog.ts";
import { LONGEST_LINE, OutputEntries, type Piece, PipeLines } from "./line-splitter.ts";
import type { Output } from "./output.ts";

interface Made {
  readonly entries: NonNullable<Parsed["entries"]>;
  readonly offset: number;
}

/** Lines that come this close together are one entry. */
const TOGETHER_MS = 50;
/** A full or locked disk passes. */
const AGAIN_MS = 1000;
const LARGE_ENTRY = 64 * 1024;
const TOO_LONG =
  "The agent wrote a line of more than 8 MB, which was not read; something may be missing here.";

type Ports = Facts & Logs & HolderPort & IntakePort & MemoryPort & DeliveryPort;

/**
 * The output of pipes: an agent's JSON stream is parsed line by line, anything else is the transcript as it is. The
 * holder keeps what was not taken yet, and its writer waits, so that nothing is lost.
 */
export class PipeOutput implements Output {
  readonly #session: Ports;
  readonly #lines: Record<Stream, PipeLines>;
  readonly #entries: Record<Stream, OutputEntries>;
  readonly #waiting: Record<Stream, Piece[]> = { out: [], err: [] };
  /** Made of what came, or still to be parsed, and not in the record yet. The holder keeps no more than its spool. */
  readonly #made = { out: new Backlog<Made>(), err: new Backlog<Made>() };
  readonly #unparsed = new Backlog<Piece>();
  /** Up to where each stream was looked through for entries. */
  readonly #taken: Record<Stream, number>;
  #timer: NodeJS.Timeout | undefined;
  readonly #flushing = new SerialQueue();

  constructor(session: Ports, consumed: { readonly out: number; readonly err: number }) {
    const { redactor, mode } = session.carrying;
    const isSpoken = mode.sources.stream === undefined;
    const noted = readNoted(session.folder);
    this.#session = session;
    this.#taken = { out: Math.max(consumed.out, noted.out), err: Math.max(consumed.err, noted.err) };
    this.#lines = {
      out: isSpoken
        ? new PipeLines(this.#taken.out, LARGE_ENTRY, "block")
        : new PipeLines(this.#taken.out, LONGEST_LINE, "line"),
      err: new PipeLines(this.#taken.err, LARGE_ENTRY, "block"),
    };
    this.#entries = {
      out: new OutputEntries("out", redactor, isSpoken),
      err: new OutputEntries("err", redactor, isSpoken),
    };
  }

  get from(): { readonly out: number; readonly err: number } {
    return { out: this.#lines.out.received, err: this.#lines.err.received };
  }

  async take({ stream, offset, bytes }: Extract<HolderMessage, { type: "output" }>): Promise<void> {
    const lines = this.#lines[stream];
    const pieces = lines.push(bytes.subarray(Math.max(0, lines.received - offset)));
    if (pieces.length > 0) await this.#takePieces(stream, pieces).catch((error) => this.#failed(error));
  }

  async finish(): Promise<void> {
    for (const stream of STREAMS) await this.#takePieces(stream, this.#lines[stream].end());
    await this.#flush(true);
    const { intake } = this.#session;
    if (this.#source?.end)
      await intake.parsed((memory) => this.#source?.end?.(memory) ?? {}, { key: "out-end" });
  }

  /** A line that is not whole is left to whoever comes back. */
  async letGo(): Promise<void> {
    await this.#flush();
  }

  async #takePieces(stream: Stream, pieces: readonly Piece[]): Promise<void> {
    if (stream === "out" && this.#source) {
      this.#unparsed.add(pieces);
      return this.#keepLines();
    }
    this.#waiting[stream] = this.#waiting[stream].concat(pieces);
    const size = this.#waiting[stream].reduce((sum, { text }) => sum + text.length, 0);
    if (size >= LARGE_ENTRY) await this.#flush();
    else if (pieces.length > 0) this.#timer ??= setTimeout(() => this.#flushSoon(), TOGETHER_MS);
  }

  get #source() {
    return this.#session.carrying.mode.sources.stream;
  }

  /** Memory and place are written once for all lines that came together. */
  async #keepLines(): Promise<void> {
    let done: number | undefined;
    try {
      await this.#session.memory.together(async () =>
        this.#unparsed.keep(async (piece) => {
          await this.#keepLine(piece);
          done = piece.offset;
        }),
      );
    } finally {
      if (done !== undefined) this.#note("out", done);
      this.#acknowledge("out", done);
    }
  }

  async #keepLine({ text, offset, part }: Piece): Promise<void> {
    const { intake, delivery } = this.#session;
    // The answer to a text may come before the text itself is in the record.
    await delivery.implied();
    const place = { key: `out-${offset}`, consumed: { stream: "out", offset } } as const;
    if (part === undefined) await intake.parsed((memory) => this.#source?.parse(text, memory) ?? {}, place);
    else if (part === "first") await intake.notice(`line-${offset}`, TOO_LONG);
  }

  /** Nobody waits for it. */
  #flushSoon(): void {
    void this.#flush().catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    const { log, id } = this.#session;
    log.error({ session: id, err: error }, "output could not be kept yet");
    this.#timer ??= setTimeout(() => this.#flushSoon(), AGAIN_MS);
  }

  async #flush(isOver = false): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing.run(async () => {
      await this.#keepLines();
      for (const stream of STREAMS) await this.#flushStream(stream, isOver);
    });
  }

  async #flushStream(stream: Stream, isOver: boolean): Promise<void> {
    const pieces = this.#waiting[stream];
    this.#waiting[stream] = [];
    this.#taken[stream] = pieces.at(-1)?.offset ?? this.#taken[stream];
    const { entries, heldBytes } = this.#entries[stream].entriesOf(pieces, isOver);
    const offset = this.#taken[stream] - heldBytes;
    if (entries.length > 0) this.#made[stream].add([{ entries, offset }]);
    await this.#made[stream].keep(async (made) => {
      const place = { key: `${stream}-${made.offset}`, consumed: { stream, offset: made.offset } } as const;
      await this.#session.intake.take({ entries: made.entries }, place);
      this.#acknowledge(stream, made.offset);
    });
  }

  #acknowledge(stream: Stream, offset: number | undefined): void {
    if (offset !== undefined) this.#session.holder.connection?.acknowledge(stream, offset);
  }

  /** Survives this process, not the machine; a line that made no entry is not parsed again. */
  #note(stream: Stream, offset: number): void {
    this.#noted[stream] = offset;
    try {
      writeFileSync(join(this.#session.folder, LAUNCH_FILES.consumed), JSON.stringify(this.#noted), {
        mode: 0o600,
      });
    } catch {
      // A full disk; the line may be parsed twice after a crash, and entries are known by their place.
    }
  }

  readonly #noted: Record<Stream, number> = { out: 0, err: 0 };
}

function readNoted(folder: string): Record<Stream, number> {
  try {
    return JSON.parse(readFileSync(join(folder, LAUNCH_FILES.consumed), "utf8")) as Record<Stream, number>;
  } catch {
    return { out: 0, err: 0 };
  }
}
