import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";

/** The access mode in the flags of an open file: 0 is for reading only. */
const ACCESS_MODE = 0o3;

/** The files that a process has open for writing; none for a process that may not be looked at. */
export function writtenBy(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const path = linkOf(`/proc/${pid}/fd/${fd}`);
      return path?.startsWith("/") && isForWriting(`/proc/${pid}/fdinfo/${fd}`) ? [path] : [];
    });
  } catch {
    return [];
  }
}

/** Every process that has this file open for writing. */
export function pidsWriting(path: string): number[] {
  const real = realPathOf(path);
  return pids().filter((pid) => writtenBy(pid).includes(real));
}

/** The files below a folder that any process has open for writing. */
export function writtenUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const root = `${realPathOf(folder)}/`;
  return pids().flatMap((pid) => writtenBy(pid).filter((path) => path.startsWith(root)));
}

/** The files that any process has open for writing. Each root is scanned once. */
export class FilesBeingWritten {
  readonly #byRoot = new Map<string, ReadonlySet<string>>();

  has({ path, root }: { readonly path: string; readonly root: string }): boolean {
    const files = this.#byRoot.get(root) ?? new Set(writtenUnder(root));
    this.#byRoot.set(root, files);
    return files.has(realPathOf(path));
  }
}

/** The path that a process is told to have open. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function pids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isForWriting(path: string): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(path, "latin1"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
  } catch {
    return false;
  }
}
