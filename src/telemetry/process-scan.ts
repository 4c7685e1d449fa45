import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/** One process of the table, with its counters. */
export interface ScannedProcess {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since boot: with the pid it names one process for good. */
  readonly startTime: number;
  /** It has ended and waits to be reaped; its counters are still there. */
  readonly isZombie: boolean;
  /** Processor time of its own, in clock ticks. */
  readonly ownTicks: number;
  /** Processor time of all children that it has waited for, and of theirs. */
  readonly reapedTicks: number;
  readonly vszBytes: number;
  readonly rssBytes: number;
}

/** The counters of input and output, those of reaped children included. */
export interface IoCounters {
  readonly readChars: number;
  readonly writeChars: number;
  readonly readBytes: number;
  readonly writeBytes: number;
}

/** Longer than any `stat` or `io` of Linux. */
const buffer = Buffer.alloc(4096);

/** All processes of this machine, in one pass over /proc; parents before their children, as the kernel lists them. */
export function scanProcesses(): Map<number, ScannedProcess> {
  const scan = new Map<number, ScannedProcess>();
  for (const name of readdirSync("/proc")) {
    const first = name.charCodeAt(0);
    if (first < ZERO || first > NINE) continue;
    const scanned = scanProcess(Number(name));
    if (scanned) scan.set(scanned.pid, scanned);
  }
  return scan;
}

const ZERO = 48;
const NINE = 57;
const CLOSING = 41;

/** Undefined for one that is gone. */
function scanProcess(pid: number): ScannedProcess | undefined {
  const length = readInto(`/proc/${pid}/stat`);
  if (length === 0) return undefined;
  // The command in parentheses may hold anything: fields count from the last one.
  const begin = buffer.subarray(0, length).lastIndexOf(CLOSING) + 2;
  const state = String.fromCharCode(buffer[begin] as number);
  const fields = numbersFrom(begin + 2, length, 21);
  const at = (index: number) => fields[index] ?? 0;
  return {
    pid,
    parent: at(0),
    startTime: at(18),
    // A process whose first thread has left shows as a zombie while its others run.
    isZombie: state === "X" || (state === "Z" && at(16) < 2),
    ownTicks: at(10) + at(11),
    reapedTicks: at(12) + at(13),
    vszBytes: at(19),
    rssBytes: at(20) * PAGE_BYTES,
  };
}

/** Null where the kernel does not tell: the process is gone, or of another user. */
export function readIo(pid: number): IoCounters | null {
  return countersIn(`/proc/${pid}/io`);
}

/** Counts only children that a process with one thread has waited for. */
export function readReapedIo(pid: number): IoCounters | null {
  const own = countersIn(`/proc/${pid}/task/${pid}/io`);
  const all = countersIn(`/proc/${pid}/io`);
  return own && all && mapIo((name) => Math.max(0, all[name] - own[name]));
}

export function mapIo(value: (name: keyof IoCounters) => number): IoCounters {
  return {
    readChars: value("readChars"),
    writeChars: value("writeChars"),
    readBytes: value("readBytes"),
    writeBytes: value("writeBytes"),
  };
}

function countersIn(path: string): IoCounters | null {
  const length = readInto(path);
  if (length === 0) return null;
  const [readChars = 0, writeChars = 0, , , readBytes = 0, writeBytes = 0] = numbersFrom(0, length, 6);
  return { readChars, writeChars, readBytes, writeBytes };
}

/** The first whole numbers in the buffer, without making a string of any. Signs are passed over. */
function numbersFrom(begin: number, end: number, count: number): number[] {
  const numbers: number[] = [];
  let value = -1;
  for (let at = begin; at < end && numbers.length < count; at++) {
    const byte = buffer[at] as number;
    const isDigit = byte >= ZERO && byte <= NINE;
    if (isDigit) value = (value < 0 ? 0 : value * 10) + byte - ZERO;
    else if (value >= 0) {
      numbers.push(value);
      value = -1;
    }
  }
  return numbers;
}

function readInto(path: string): number {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    return readSync(file, buffer, 0, buffer.length, 0);
  } catch {
    return 0;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const AT_PAGESZ = 6n;
const AT_CLKTCK = 17n;

/** A fact that the kernel gives to every program at its start, in pairs of 64 bits. */
function auxiliary(type: bigint, otherwise: number): number {
  try {
    const pairs = readFileSync("/proc/self/auxv");
    for (let at = 0; at + 16 <= pairs.length; at += 16)
      if (pairs.readBigUInt64LE(at) === type) return Number(pairs.readBigUInt64LE(at + 8));
  } catch {
    // Not on Linux: there is nothing to scan either.
  }
  return otherwise;
}

const PAGE_BYTES = auxiliary(AT_PAGESZ, 4096);
/** How long a clock tick of the kernel is. */
export const TICK_MS = 1000 / auxiliary(AT_CLKTCK, 100);
