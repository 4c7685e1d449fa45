import { fstatSync, writeSync } from "node:fs";
import { RollcallError } from "../../domain/errors.ts";
import { toWire } from "../../domain/wire.ts";
import { pipeable, printable, printableLines } from "../../present/text.ts";
import { redacted } from "./redacted.ts";

/** The output of a command: tables and sentences for people, JSON for programs. */
export class Output {
  readonly isJson: boolean;
  /** Whether a person reads it. */
  readonly isTerminal: boolean;
  /** Stands before everything that comes out of the store. */
  hide: (text: string) => string = (text) => text;

  constructor(isJson: boolean) {
    this.isJson = isJson;
    this.isTerminal = isTerminal(1);
  }

  get width(): number {
    return this.isTerminal ? process.stdout.columns || 120 : Number.POSITIVE_INFINITY;
  }

  line(text: string): void {
    write(1, `${this.hide(text)}\n`);
  }

  /** Our own data, in the words of the wire. */
  json(value: unknown): void {
    this.text(`${JSON.stringify(toWire(value), null, this.isTerminal ? 2 : undefined)}\n`);
  }

  /** A piece of a long answer. */
  piece(text: string): void {
    write(1, this.hide(text));
  }

  /** The same of what agents and users said, which must not act on a terminal. */
  text(text: string): void {
    // A secret may be whole only when what stood inside it is gone.
    write(1, this.isTerminal ? printableLines(this.hide(text)) : this.hide(pipeable(text)));
  }

  note(sentence: string): void {
    write(2, `${printable(sentence)}\n`);
  }

  warn(sentence: string): void {
    write(2, `rollcall: ${printable(sentence)}\n`);
  }

  async error(error: unknown): Promise<void> {
    const described = await redacted(describeError(error));
    const { message, hint } = described;
    if (this.isJson) write(2, `${printableLines(JSON.stringify({ error: described }))}\n`);
    else write(2, `rollcall: ${printable(hint === null ? message : `${message} ${hint}`)}\n`);
    if (!(error instanceof RollcallError) && process.env.ROLLCALL_DEBUG)
      write(2, `${printableLines(await redacted(String((error as Error).stack)))}\n`);
  }
}

/** A device may be a terminal; only then is it worth loading what Node needs to talk to one. */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  try {
    const file = fstatSync(fd);
    if (!file.isCharacterDevice() || isNull(file)) return false;
    const stream = fd === 0 ? process.stdin : fd === 1 ? process.stdout : process.stderr;
    return stream.isTTY === true;
  } catch {
    return false;
  }
}

/** /dev/null and its like: on Linux the devices of major number 1. */
function isNull({ rdev }: { readonly rdev: number }): boolean {
  return process.platform === "linux" && rdev >> 8 === 1;
}

/** All of it, in order, before anything else happens: whoever reads slowly slows us down, and nothing piles up. */
function write(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A reader such as `head` may stop early. A failure that cannot be printed is still a failure.
      if (code === "EPIPE" && fd === 2) return;
      if (code === "EPIPE") process.exit(0);
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export function describeError(error: unknown): { code: string; message: string; hint: string | null } {
  if (error instanceof RollcallError)
    return { code: error.code, message: error.message, hint: error.hint ?? null };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: "internal",
    message: `Something went wrong that Rollcall did not expect: ${message}.`,
    hint: "Set ROLLCALL_DEBUG=1 to see where, and please report it.",
  };
}
