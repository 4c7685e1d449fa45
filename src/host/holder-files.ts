import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromWire } from "../domain/wire.ts";
import { LAUNCH_FILES } from "../home/launch-folder.ts";
import type { Stream } from "./holder-message.ts";

interface HolderProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** `holder.json`: the processes of a session, written before its command runs. */
export interface HolderFile {
  readonly version: 1;
  readonly host: "pty" | "pipe" | "acp";
  readonly bootId: string;
  readonly startedAt: string;
  readonly guard: HolderProcess;
  readonly holder: HolderProcess;
  readonly agent: HolderProcess;
}

/** `exit.json`: how the agent ended, and whether anything of its tree is left. */
export interface HolderExit {
  readonly version: 1;
  /** All null while the agent itself could not be ended; code and signal null if it never ran. */
  readonly agent: {
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly at: string | null;
  };
  readonly reason: "exited" | "asked" | "exec_failed" | "holder_lost";
  readonly error: string | null;
  readonly tree: {
    /** `empty` is proven, and says that the spool is complete. */
    readonly state: "ending" | "empty" | "kept" | "blocked";
    /** How many had to be killed. */
    readonly killed: number;
    readonly remaining: readonly number[];
    readonly at: string;
  };
}

export function findHolderFile(dir: string): HolderFile | undefined {
  return readJson(join(dir, LAUNCH_FILES.holder)) as HolderFile | undefined;
}

export function findExitFile(dir: string): HolderExit | undefined {
  return readJson(join(dir, LAUNCH_FILES.exit)) as HolderExit | undefined;
}

export interface SpooledBytes {
  /** The offset of the first byte. */
  readonly low: number;
  readonly bytes: Buffer;
}

/** Reads the spool of a stream from disk; works without a living holder. */
export function readSpool(dir: string, stream: Stream): SpooledBytes {
  for (let tries = 1; ; tries++) {
    try {
      return readSegments(dir, `${stream}-`);
    } catch (error) {
      // A living holder may drop its oldest segment meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === MOST_TRIES) throw error;
    }
  }
}

const MOST_TRIES = 100;

function readSegments(dir: string, prefix: string): SpooledBytes {
  const segments = segmentsOf(dir, prefix);
  return {
    low: segments[0]?.low ?? 0,
    bytes: Buffer.concat(segments.map(({ name }) => readFileSync(join(dir, name)))),
  };
}

/** The same segment by segment, from an offset on, so that a full spool is never held as a whole. */
export function* spoolSegments(dir: string, stream: Stream, from: number): Generator<SpooledBytes> {
  const segments = segmentsOf(dir, `${stream}-`);
  for (const [index, { name, low }] of segments.entries()) {
    const end = segments[index + 1]?.low ?? Number.POSITIVE_INFINITY;
    if (end <= from) continue;
    const bytes = readIfThere(join(dir, name));
    if (bytes) yield { low, bytes };
  }
}

/** Offsets are padded in the names, so that their order is the order of the bytes. */
function segmentsOf(dir: string, prefix: string): { readonly name: string; readonly low: number }[] {
  const names = readdirSync(dir).filter((name) => name.startsWith(prefix));
  return names.sort().map((name) => ({ name, low: Number(name.slice(prefix.length)) }));
}

/** A living holder may have dropped it since the folder was read. */
function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function readJson(path: string): unknown {
  try {
    return fromWire(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
