import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** Deep enough for a folder of each project, or of each day of each year. */
const MOST_DEPTH = 3;
/** The system watches only so many; a history of years stays far below. */
const MOST_FOLDERS = 4000;
/** Until the first folder exists. */
const AGAIN_MS = 5000;

/** Tells of each file that changes in a folder or those below it. */
export class FolderTree {
  readonly #root: string;
  readonly #changed: (path: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(root: string, changed: (path: string) => void) {
    this.#root = root;
    this.#changed = changed;
  }

  begin(): void {
    if (!this.#isStopped && !this.#watch(this.#root, 0)) this.#beginLater();
  }

  /** What is in the folder by then was made while nobody looked, and is told. */
  #beginLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#isStopped) return;
      if (this.#watch(this.#root, 0)) this.#tellAll();
      else this.#beginLater();
    }, AGAIN_MS);
    this.#timer.unref();
  }

  #tellAll(): void {
    for (const folder of this.#watchers.keys()) for (const file of filesIn(folder)) this.#changed(file);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** False where there is no such folder. */
  #watch(folder: string, depth: number): boolean {
    if (this.#watchers.has(folder)) return true;
    if (this.#watchers.size >= MOST_FOLDERS || this.#isStopped) return true;
    try {
      const watcher = watch(folder, (_, name) => this.#saw(folder, name, depth));
      watcher.on("error", () => this.#forget(folder));
      this.#watchers.set(folder, watcher);
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() && depth < MOST_DEPTH) this.#watch(join(folder, entry.name), depth + 1);
      return true;
    } catch {
      this.#forget(folder);
      return depth > 0;
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    if (folder === this.#root && !this.#isStopped) this.#beginLater();
  }

  #saw(folder: string, name: string | null, depth: number): void {
    if (name === null) return;
    const path = join(folder, name);
    if (isFolder(folder, name)) {
      // What was written into it before it was watched is told now.
      if (depth < MOST_DEPTH && !this.#watchers.has(path)) {
        this.#watch(path, depth + 1);
        for (const file of filesIn(path)) this.#changed(file);
      }
    } else this.#changed(path);
  }
}

function isFolder(folder: string, name: string): boolean {
  try {
    return readdirSync(join(folder, name)) !== undefined;
  } catch {
    return false;
  }
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
