import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Notes } from "../../agents/agent.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";

/** What the parsers of an agent remember, in the folder of the launch: a daemon that comes back knows it too. */
export class KeptNotes {
  readonly #path: string;
  #notes: Notes | undefined;

  constructor(folder: string) {
    this.#path = join(folder, LAUNCH_FILES.notes);
  }

  get all(): Notes {
    this.#notes ??= readNotes(this.#path);
    return this.#notes;
  }

  add(more: Notes): void {
    const known = this.all;
    if (Object.entries(more).every(([name, value]) => known[name] === value)) return;
    this.#notes = { ...known, ...more };
    const partial = `${this.#path}.partial`;
    writeFileSync(partial, JSON.stringify(this.#notes), { mode: 0o600 });
    renameSync(partial, this.#path);
  }
}

function readNotes(path: string): Notes {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Notes;
  } catch {
    return {};
  }
}
