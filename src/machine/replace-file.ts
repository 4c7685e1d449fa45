import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { partialPath, removePartials } from "./partial-file.ts";

/** Gives a file a new content, whole or not at all, and removes what killed writers left beside it. */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  removePartials(dirname(path));
  const partial = partialPath(path);
  try {
    writeNewFile(partial, content, mode);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Refuses where there is one already. */
export function writeNewFile(path: string, content: string | Uint8Array, mode: number): void {
  const fd = openSync(path, "wx", 0o600);
  try {
    writeFileSync(fd, content);
    fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
