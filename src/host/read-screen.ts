import type { ScreenSize } from "./emulator.ts";
import { Screen } from "./screen.ts";
import { findSnapshot, type Snapshot } from "./snapshot-file.ts";
import { openSpoolRange, type SpoolRange } from "./spool-range.ts";

/** A screen and how much of the output it shows. */
export interface ScreenReading {
  readonly screen: Screen;
  readonly offset: number;
  /** Bytes before the offset were gone, so that the screen may lack something. */
  readonly gap: boolean;
}

/**
 * The screen of a session from its newest snapshot and the output after it, as wide as asked for. Works without a
 * living holder. What was shown at other sizes in between is not known, and is shown at this one.
 */
export async function readScreen(
  dir: string,
  size: ScreenSize,
  options: ReadOptions = {},
): Promise<ScreenReading> {
  const { upTo = Infinity } = options;
  let snapshot = await findUsable(dir, upTo);
  for (let tries = 1; ; tries++) {
    const offset = snapshot?.offset ?? 0;
    using range = openSpoolRange(dir, offset, upTo);
    const gap = range.low > offset;
    // The output may have been cut off behind a snapshot that came after ours: known before the long work begins.
    const newest = gap && tries < MOST_TRIES ? await findUsable(dir, upTo) : snapshot;
    if (newest?.offset === snapshot?.offset) {
      const screen = snapshot === undefined ? new Screen(size) : await screenFrom(snapshot);
      screen.resize(size);
      await screen.writeAll(gap ? afterGap(range) : range.pieces());
      return { screen, offset: range.high, gap };
    }
    snapshot = newest;
  }
}

/** In a flood bytes are gone behind every snapshot. */
const MOST_TRIES = 3;

export interface ReadOptions {
  /** Shows the screen as it was at this offset. */
  readonly upTo?: number;
}

/** Brings a screen up to date; undefined, and nothing done, where bytes in between are gone. */
export async function readOn(
  dir: string,
  { screen, offset }: ScreenReading,
): Promise<ScreenReading | undefined> {
  using range = openSpoolRange(dir, offset);
  if (range.low > offset) return undefined;
  await screen.writeAll(range.pieces());
  return { screen, offset: range.high, gap: false };
}

async function findUsable(dir: string, upTo: number): Promise<Snapshot | undefined> {
  const snapshot = await findSnapshot(dir);
  return snapshot !== undefined && snapshot.offset <= upTo ? snapshot : undefined;
}

async function screenFrom({ bytes, size }: Snapshot): Promise<Screen> {
  const screen = new Screen(size);
  await screen.write(bytes);
  return screen;
}

/** Ends a sequence whose rest will not come. */
const CANCEL = Buffer.from([0x18]);
const STARTS = Buffer.from("\x1b\r\n");
const MOST_SKIPPED_BYTES = 4096;

/** Fills any screen and its history many times over. */
const MOST_AFTER_GAP_BYTES = 1024 * 1024;

/** Where bytes are missing anyway, of a flood only the end is looked at: the rest has long gone by. */
function* afterGap(range: SpoolRange): Generator<Uint8Array, void, void> {
  yield CANCEL;
  let isFirst = true;
  for (const piece of range.pieces(Math.max(range.low, range.high - MOST_AFTER_GAP_BYTES))) {
    yield isFirst ? piece.subarray(firstWhole(piece)) : piece;
    isFirst = false;
  }
}

/** Output that begins anywhere may begin inside a sequence: it is read from the next one, or the next line, on. */
function firstWhole(bytes: Buffer): number {
  const at = bytes.subarray(0, MOST_SKIPPED_BYTES).findIndex((byte) => STARTS.includes(byte));
  return Math.max(0, at);
}
