import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Memory } from "../../agents/parsed.ts";
import { readJsonObject } from "../../domain/json.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";

/** The memory of an agent's parsers, in the folder of the launch: a daemon that comes back has it too. */
export class KeptMemory {
  readonly #path: string;
  #memory: Memory | undefined;
  #isDue = false;
  #batches = 0;

  constructor(folder: string) {
    this.#path = join(folder, LAUNCH_FILES.memory);
  }

  get all(): Memory {
    this.#memory ??= readMemory(this.#path);
    return this.#memory;
  }

  merge(patch: Partial<Memory>): void {
    const known = this.all;
    if (Object.entries(patch).every(([name, value]) => isDeepStrictEqual(known[name], value))) return;
    this.#memory = { ...known, ...patch } as Memory;
    this.#isDue = true;
    if (this.#batches === 0) this.#write();
  }

  /** Writes all that the work merges once, behind it: a daemon that is killed before reads all of it again. */
  async together(work: () => Promise<void>): Promise<void> {
    this.#batches += 1;
    try {
      await work();
    } finally {
      this.#batches -= 1;
      if (this.#isDue) this.#write();
    }
  }

  #write(): void {
    const partial = `${this.#path}.partial`;
    writeFileSync(partial, JSON.stringify(this.#memory), { mode: 0o600 });
    renameSync(partial, this.#path);
    this.#isDue = false;
  }
}

function readMemory(path: string): Memory {
  try {
    return readJsonObject(readFileSync(path, "utf8")) ?? {};
  } catch {
    return {};
  }
}
