import { existsSync, type FSWatcher, readdirSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Deep enough for a folder of each project, or of each day of each year. */
const MOST_DEPTH = 3;
/** The system watches only so many; a history of years stays far below. */
const MOST_FOLDERS = 4000;
/** Until the first folder exists, where nothing tells when it is made. */
const AGAIN_MS = 5000;
/** How many folders above it may be missing, too, for its making to be told. */
const MOST_MISSING = 2;

interface Change {
  readonly event: string;
  readonly name: string | null;
  readonly depth: number;
}

/** Tells of each file that changes in a folder or those below it. */
export class FolderTree {
  readonly #root: string;
  readonly #changed: (path: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  /** Watches a folder above the first one until that exists. */
  #above: FSWatcher | undefined;
  #isStopped = false;

  constructor(root: string, changed: (path: string) => void) {
    this.#root = root;
    this.#changed = changed;
  }

  begin(): void {
    if (!this.#isStopped && !this.#watch(this.#root, 0)) this.#beginLater();
  }

  #beginLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#beginAgain(), AGAIN_MS);
    this.#timer.unref();
    this.#watchAbove();
  }

  /** Files that are in the folder by then were made while nobody looked, and are reported. */
  #beginAgain(): void {
    this.#above?.close();
    this.#above = undefined;
    if (this.#isStopped) return;
    if (this.#watch(this.#root, 0)) this.#reportBelow(this.#root);
    else this.#beginLater();
  }

  #watchAbove(): void {
    this.#above?.close();
    this.#above = undefined;
    const above = nearestFolder(this.#root);
    if (above === undefined) return;
    try {
      this.#above = watch(above, () => this.#beginAgain());
      this.#above.on("error", () => this.#above?.close());
    } catch {
      return;
    }
    // Made in between, and told to nobody.
    if (nearestFolder(this.#root) !== above || existsSync(this.#root)) setImmediate(() => this.#beginAgain());
  }

  /** Files that were written before their folder was watched. */
  #reportBelow(folder: string): void {
    for (const path of this.#watchedFrom(folder)) for (const file of filesIn(path)) this.#changed(file);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#above?.close();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** False where there is no such folder. */
  #watch(folder: string, depth: number): boolean {
    if (this.#watchers.has(folder)) return true;
    if (this.#watchers.size >= MOST_FOLDERS || this.#isStopped) return true;
    try {
      const watcher = watch(folder, (event, name) => this.#heard(folder, { event, name, depth }));
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

  #watchedFrom(folder: string): string[] {
    return [...this.#watchers.keys()].filter((path) => path === folder || path.startsWith(`${folder}/`));
  }

  #forget(folder: string): void {
    for (const path of this.#watchedFrom(folder)) {
      this.#watchers.get(path)?.close();
      this.#watchers.delete(path);
    }
    if (folder === this.#root && !this.#isStopped) this.#beginLater();
  }

  #heard(folder: string, { event, name, depth }: Change): void {
    if (name === null) return;
    const path = join(folder, name);
    const isFound = existsSync(path);
    // The last words of a watch name its own folder, which was removed or moved. One below is told of by its parent.
    if (!isFound && name === basename(folder)) {
      if (folder === this.#root) this.#forget(folder);
      return;
    }
    const isWatched = this.#watchers.has(path);
    if (!isFolder(folder, name)) {
      if (isWatched) this.#forget(path);
      this.#changed(path);
      // A watch stays with the folder that it was made for: one of the same name that is made anew needs another.
    } else if (depth < MOST_DEPTH && (!isWatched || event === "rename")) {
      this.#forget(path);
      this.#watch(path, depth + 1);
      this.#reportBelow(path);
    }
  }
}

/** The nearest folder above that exists, unless it is too far. */
function nearestFolder(path: string): string | undefined {
  let folder = path;
  for (let missing = 0; missing <= MOST_MISSING; missing++) {
    folder = dirname(folder);
    if (existsSync(folder)) return folder;
  }
  return undefined;
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
