import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ScreenSize } from "./emulator.ts";

/** A screen as it was after the first `offset` bytes of a session's output. */
export interface Snapshot {
  readonly offset: number;
  /** The bytes of `Screen.snapshot`. */
  readonly bytes: Uint8Array;
  readonly size: ScreenSize;
}

/** Snapshot, its size beside it, and what a crash left of either. Who attaches reads the bare name only. */
const NAME = /^\.?snapshot-(\d{16})(|\.json|\.tmp|\.json\.tmp)$/;
const MOST_TRIES = 100;

/** Durable when it resolves; then older ones are gone. One writer per folder. */
export async function writeSnapshot(dir: string, { offset, bytes, size }: Snapshot): Promise<void> {
  const name = nameOf(offset);
  // First, so that no snapshot is ever without its size.
  await put(dir, `${name}.json`, Buffer.from(JSON.stringify(size)));
  await put(dir, name, bytes);
  await syncFolder(dir);
  const old = (await readdir(dir)).filter((each) => offsetOf(each) < offset);
  await Promise.all(old.map((each) => rm(join(dir, each), { force: true })));
}

/** The newest one. */
export async function findSnapshot(dir: string): Promise<Snapshot | undefined> {
  for (let tries = 1; ; tries++) {
    const names = new Set(await readdir(dir));
    const offsets = [...names].map(offsetOf).filter((offset) => isComplete(names, offset));
    if (offsets.length === 0) return undefined;
    try {
      return await read(dir, Math.max(...offsets));
    } catch (error) {
      // A newer one has taken its place meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === MOST_TRIES) throw error;
    }
  }
}

function isComplete(names: ReadonlySet<string>, offset: number): boolean {
  return names.has(nameOf(offset)) && names.has(`${nameOf(offset)}.json`);
}

async function read(dir: string, offset: number): Promise<Snapshot> {
  const path = join(dir, nameOf(offset));
  const [bytes, size] = await Promise.all([readFile(path), readFile(`${path}.json`, "utf8")]);
  return { offset, bytes, size: JSON.parse(size) as ScreenSize };
}

async function put(dir: string, name: string, bytes: Uint8Array): Promise<void> {
  const temp = join(dir, `.${name}.tmp`);
  const file = await open(temp, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temp, join(dir, name));
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function nameOf(offset: number): string {
  return `snapshot-${String(offset).padStart(16, "0")}`;
}

/** The offset in the name of our own file; infinite for any other file. */
function offsetOf(name: string): number {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
}
