import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { readJsonObject } from "../../domain/json.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { markerOf } from "../../machine/proc.ts";
import { MOST_LIVE_FILE_BYTES } from "../outside/live-files.ts";
import type { LiveSession } from "../session/live-session.ts";

/** In case the folder does not exist yet, or the system does not tell of a change. */
const FALLBACK_MS = 250;
const FILE = /^(\d+)\.json$/;

/**
 * Follows the file in which an agent's own process keeps its state. It counts only while that process lives and
 * carries the marker of this launch: one that was killed leaves its last word behind.
 */
export class LiveFile {
  readonly #session: LiveSession;
  readonly #folder: string | null;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #reading: Promise<void> = Promise.resolve();
  #last = "";

  constructor(session: LiveSession) {
    this.#session = session;
    const { agent, agentPaths } = session.carrying;
    this.#folder = agent.observe.file ? agentPaths.liveFiles : null;
  }

  begin(): void {
    if (this.#folder === null || this.#isStopped || this.#watcher) return;
    this.#watch(this.#folder);
    this.refresh();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  /** Looks at all files that are there; what is known already says nothing new. */
  refresh(): void {
    if (this.#folder === null) return;
    this.#last = "";
    try {
      for (const name of readdirSync(this.#folder)) this.#read(name);
    } catch {
      // Made at the first launch of the agent.
    }
  }

  #watch(folder: string): void {
    try {
      this.#watcher = watch(folder, (_, name) => this.#read(name ?? ""));
      this.#watcher.on("error", () => this.#watchLater(folder));
    } catch {
      this.#watchLater(folder);
    }
  }

  #watchLater(folder: string): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#watch(folder);
      this.refresh();
    }, FALLBACK_MS);
  }

  #read(name: string): void {
    const pid = FILE.exec(name)?.[1];
    if (pid === undefined || this.#folder === null || this.#isStopped) return;
    const path = join(this.#folder, name);
    this.#reading = this.#reading.then(async () => this.#take(path, pid)).catch(() => {});
  }

  async #take(path: string, pid: string): Promise<void> {
    if (!this.#isOurs(pid)) return;
    const text = readForeignText(path, MOST_LIVE_FILE_BYTES);
    if (text === this.#last) return;
    // Written over in place: a half of it is no JSON, and is read again with the next change.
    const content = readJsonObject(text);
    if (content === undefined || String(content.pid) !== pid || this.#isStopped) return;
    this.#last = text;
    const { observe } = this.#session.carrying.agent;
    await this.#session.intake.parsed((notes) => observe.file?.(content, notes) ?? {});
  }

  #isOurs(pid: string): boolean {
    return markerOf(Number(pid)) === this.#session.carrying.launch.marker;
  }
}
