import { statSync } from "node:fs";
import { basename } from "node:path";
import { firstLineOf } from "../../machine/first-line.ts";
import { realPathOf, writtenBy } from "../../machine/open-files.ts";
import type { LiveSession } from "../session/live-session.ts";

/** An agent makes its transcript a moment after its turn begins: looked for soon, and then ever more seldom. */
const FIRST_MS = 20;
const AGAIN_MS = 250;
const MOST_TRIES = 40;
/** The times of files are those of the last tick of the system's clock. */
const CLOCK_TICK_MS = 20;

/**
 * Finds the transcript of an agent that names it itself: the file in its folder that a process of this launch has
 * open for writing. Two sessions in one folder are never mixed, whatever they are named or when they began.
 */
export class TranscriptFinder {
  readonly #session: LiveSession;
  readonly #folder: string | null;
  #timer: NodeJS.Timeout | undefined;
  #tries = 0;
  #beganMs = 0;

  constructor(session: LiveSession) {
    this.#session = session;
    this.#folder = session.carrying.agentPaths.transcripts;
  }

  /** The agent has begun something: what it writes now may be a new file. */
  begin(): void {
    if (this.#folder === null) return;
    this.#tries = 0;
    this.#beganMs = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), 0);
  }

  stop(): void {
    this.#tries = MOST_TRIES;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { services, id } = this.#session;
    const beganMs = this.#beganMs;
    try {
      const found = await this.#find();
      // A file that is older than what it has begun may not be the one that it writes next.
      const isFresh = found !== undefined && found.writtenMs >= beganMs - CLOCK_TICK_MS;
      // A file that is followed already speaks for itself: its last line may be the end of the turn before.
      const isNew = isFresh && found.path !== this.#session.transcript.path;
      if (isNew) await this.#session.intake.settle();
      if (found) await this.#found(found.path);
      if (isFresh) return;
    } catch (error) {
      services.log.warn({ session: id, err: error }, "could not look for the transcript");
    }
    if (beganMs !== this.#beganMs || ++this.#tries >= MOST_TRIES) return;
    const againMs = Math.min(AGAIN_MS, FIRST_MS * 2 ** this.#tries);
    this.#timer = setTimeout(() => void this.#look(), againMs);
  }

  async #found(path: string): Promise<void> {
    const identity = this.#session.carrying.agent.observe.transcriptName?.(basename(path));
    if (identity) await this.#session.intake.take({ identity, transcript: path });
  }

  /** Of several, as after a new conversation in the same process, the one that was written last. */
  async #find(): Promise<Found | undefined> {
    const { services, carrying, folder } = this.#session;
    const processes = await services.leftovers.of(carrying.launch.marker, folder);
    const root = realPathOf(this.#folder as string);
    const own = new Set(
      processes.flatMap(({ pid }) => writtenBy(pid)).filter((path) => this.#isOwn(path, root)),
    );
    return [...own].map(foundAt).sort((a, b) => b.writtenMs - a.writtenMs)[0];
  }

  #isOwn(path: string, root: string): boolean {
    const { transcriptName, isOwnTranscript } = this.#session.carrying.agent.observe;
    if (!path.startsWith(`${root}/`) || transcriptName?.(basename(path)) === undefined) return false;
    return isOwnTranscript?.(firstLineOf(path)) ?? true;
  }
}

interface Found {
  readonly path: string;
  readonly writtenMs: number;
}

function foundAt(path: string): Found {
  return { path, writtenMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
}
