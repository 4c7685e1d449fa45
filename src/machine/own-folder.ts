import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const OPEN_FILES = "/proc/self/fd";
const HAS_OPEN_FILES = existsSync(OPEN_FILES);

/**
 * A folder that was reached without following a link. What is done through it is done in that very folder, also when
 * someone puts a link into its place meanwhile.
 */
export class OwnFolder implements Disposable {
  readonly #fd: number;
  readonly #path: string;

  constructor(path: string, flags = FLAGS) {
    this.#fd = openSync(path, flags);
    this.#path = path;
  }

  /** The path of something in it, for use while it is held. */
  at(name: string): string {
    return HAS_OPEN_FILES ? `${OPEN_FILES}/${this.#fd}/${name}` : join(this.#path, name);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/**
 * A folder below a workspace, whose own path may have links. Throws the system's error where a part of the rest is a
 * link or no folder, and `ENOENT` where one is missing and is not to be made.
 */
export function openBelow(workspace: string, names: readonly string[], makes: boolean): OwnFolder {
  let folder = new OwnFolder(workspace, FLAGS & ~constants.O_NOFOLLOW);
  for (const name of names) {
    using above = folder;
    if (makes && lstatSync(above.at(name), { throwIfNoEntry: false }) === undefined) make(above.at(name));
    folder = new OwnFolder(above.at(name));
  }
  return folder;
}

/** Someone else may have made it just now. */
function make(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
