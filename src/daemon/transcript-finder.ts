import { basename } from "node:path";
import type { LiveSession } from "./live-session.ts";
import { writtenBy } from "./open-files.ts";

/** An agent makes its transcript a moment after its first turn begins. */
const AGAIN_MS = 250;
const MOST_TRIES = 40;

/**
 * Finds the transcript of an agent that names it itself: the file in its folder that a process of this launch has
 * open for writing. Two sessions in one folder are never mixed, whatever they are named or when they began.
 */
export class TranscriptFinder {
  readonly #session: LiveSession;
  readonly #folder: string | null;
  #timer: NodeJS.Timeout | undefined;
  #triesLeft = 0;

  constructor(session: LiveSession) {
    this.#session = session;
    this.#folder = session.carrying.whereabouts.transcripts;
  }

  /** The agent has begun something: what it writes now may be a new file. */
  begin(): void {
    if (this.#folder === null) return;
    this.#triesLeft = MOST_TRIES;
    this.#timer ??= setTimeout(() => void this.#look(), 0);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { services, id } = this.#session;
    this.#triesLeft -= 1;
    try {
      const path = await this.#find();
      if (path !== undefined && (await this.#found(path))) this.#triesLeft = 0;
    } catch (error) {
      services.log.warn({ session: id, err: error }, "could not look for the transcript");
    }
    this.#timer = this.#triesLeft > 0 ? setTimeout(() => void this.#look(), AGAIN_MS) : undefined;
  }

  async #found(path: string): Promise<boolean> {
    const identity = this.#session.carrying.agent.observe.transcriptName?.(basename(path));
    if (!identity) return false;
    await this.#session.findings.take({ identity, transcript: path });
    return true;
  }

  async #find(): Promise<string | undefined> {
    const { services, carrying, folder } = this.#session;
    const processes = await services.leftovers.of(carrying.launch.marker, folder);
    const written = processes.flatMap(({ pid }) => writtenBy(pid));
    const { transcriptName } = carrying.agent.observe;
    return written.find(
      (path) => path.startsWith(`${this.#folder}/`) && transcriptName?.(basename(path)) !== undefined,
    );
  }
}
