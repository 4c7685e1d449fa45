import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Memory } from "../../agents/parsed.ts";
import type { LiveFileSource } from "../../agents/sources.ts";
import { readJsonObject } from "../../domain/json.ts";
import { FolderWatch } from "../../machine/folder-watch.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { markerOf } from "../../machine/proc.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { MOST_LIVE_FILE_BYTES } from "../outside/live-files.ts";
import type { IntakePort } from "../session/ports.ts";
import type { Source } from "./source.ts";

/** In case the folder does not exist yet, or the system does not tell of a change. */
const FALLBACK_MS = 250;
const FILE = /^(\d+)\.json$/;

export interface LiveFileOptions {
  readonly folder: string;
  readonly marker: string;
  readonly spec: LiveFileSource<Memory>;
}

/**
 * Follows the file in which an agent's own process keeps its state. It counts only while that process lives and
 * carries the marker of this launch: one that was killed leaves its last word behind.
 */
export class LiveFile implements Source {
  readonly #ports: IntakePort;
  readonly #options: LiveFileOptions;
  readonly #watch: FolderWatch;
  readonly #queue = new SerialQueue();
  #isStopped = false;
  #hasBegun = false;
  #last = "";

  constructor(ports: IntakePort, options: LiveFileOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#watch = new FolderWatch(options.folder, {
      retryMs: FALLBACK_MS,
      changed: (name) => (name === null ? this.refresh() : this.#read(name)),
    });
  }

  begin(): void {
    if (this.#isStopped || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#watch.begin();
    this.refresh();
  }

  /** Each change is read as it comes. Waiting for it here could be waiting for the caller itself. */
  async catchUp(): Promise<void> {}

  stop(): void {
    this.#isStopped = true;
    this.#watch.stop();
  }

  /** Reads all files that are there; one that says nothing new is passed over. */
  refresh(): void {
    this.#last = "";
    try {
      for (const name of readdirSync(this.#options.folder)) this.#read(name);
    } catch {
      // Made at the first launch of the agent.
    }
  }

  #read(name: string): void {
    const pid = FILE.exec(name)?.[1];
    if (pid === undefined || this.#isStopped) return;
    const path = join(this.#options.folder, name);
    void this.#queue.run(async () => this.#parse(path, pid)).catch(() => {});
  }

  async #parse(path: string, pid: string): Promise<void> {
    const { marker, spec } = this.#options;
    if (markerOf(Number(pid)) !== marker) return;
    const text = readForeignText(path, MOST_LIVE_FILE_BYTES);
    if (text === this.#last) return;
    // Written over in place: a half of it is no JSON, and is read again with the next change.
    const content = readJsonObject(text);
    if (content === undefined || String(content.pid) !== pid || this.#isStopped) return;
    this.#last = text;
    await this.#ports.intake.parsed((memory) => spec.parse(content, memory));
  }
}
