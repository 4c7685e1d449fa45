import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { type Logger, pino } from "pino";

const MOST_BYTES = 5 * 1024 * 1024;
const KEPT = 3;

/** One JSON object on each line; the file is put aside when it is full, and three old ones are kept. */
export function openLog(path: string, mostBytes = MOST_BYTES): Logger {
  const file = new RotatingFile(path, mostBytes);
  return pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, file);
}

class RotatingFile {
  readonly #path: string;
  readonly #mostBytes: number;
  #fd: number;
  #size: number;

  constructor(path: string, mostBytes: number) {
    this.#path = path;
    this.#mostBytes = mostBytes;
    this.#fd = openSync(path, "a", 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  /** A log that cannot be written must not take the daemon with it. */
  write(line: string): void {
    try {
      if (this.#size > this.#mostBytes) this.#rotateIfPossible();
      this.#size += writeSync(this.#fd, line);
    } catch {
      // The disk is full or gone; sessions matter more.
    }
  }

  #rotateIfPossible(): void {
    try {
      this.#rotate();
    } catch {
      // Then the one that is open grows.
    }
  }

  #rotate(): void {
    for (let age = KEPT - 1; age >= 1; age--) moveIfThere(`${this.#path}.${age}`, `${this.#path}.${age + 1}`);
    moveIfThere(this.#path, `${this.#path}.1`);
    // The old one stays open until there is a new one: a closed number may soon be another file's.
    const fresh = openSync(this.#path, "a", 0o600);
    closeSync(this.#fd);
    this.#fd = fresh;
    this.#size = 0;
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
