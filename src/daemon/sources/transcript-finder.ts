import { statSync } from "node:fs";
import { basename } from "node:path";
import { firstLineOf } from "../../machine/first-line.ts";
import { realPathOf, writtenBy } from "../../machine/open-files.ts";
import { findNamed } from "../launch/named-transcript.ts";
import type { Leftovers } from "../session/leftovers.ts";
import type { Aim, Facts, IntakePort, Logs, TranscriptPort } from "../session/ports.ts";
import type { Source } from "./source.ts";

/** An agent makes its transcript a moment after its turn begins: looked for soon, and then ever more seldom. */
const FIRST_MS = 20;
const AGAIN_MS = 250;
const MOST_TRIES = 40;
/** The times of files are those of the last tick of the system's clock. */
const CLOCK_TICK_MS = 20;

interface Ports extends Facts, Aim, Logs, IntakePort, TranscriptPort {
  readonly leftovers: Pick<Leftovers, "of">;
}

/**
 * Finds the transcript of an agent that names it itself: the file in its folder that a process of this launch has
 * open for writing, or, of an agent that keeps none open, the one that is named for its conversation. Two sessions in one
 * folder are never mixed, whatever they are named or when they began.
 */
export class TranscriptFinder implements Source {
  readonly #session: Ports;
  readonly #folder: string | null;
  #timer: NodeJS.Timeout | undefined;
  #tries = 0;
  #beganMs = 0;

  constructor(session: Ports) {
    this.#session = session;
    this.#folder = session.carrying.agentPaths.transcripts;
  }

  /** The agent has begun something: what it writes now may be a new file. */
  begin(): void {
    if (this.#folder === null || this.#isFoundByName) return;
    this.#tries = 0;
    this.#beganMs = Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), 0);
  }

  /** A file that is found is read by the reader of the transcript. One that is named may be there before a process shows it. */
  async catchUp(): Promise<void> {
    if (this.#isNamed && this.#folder !== null && !this.#isFoundByName) await this.#look();
  }

  get #isNamed(): boolean {
    return this.#session.carrying.mode.sources.transcript?.isNamedFor !== undefined;
  }

  get #isFoundByName(): boolean {
    return this.#isNamed && this.#session.transcript.path !== null;
  }

  stop(): void {
    this.#tries = MOST_TRIES;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { log, id } = this.#session;
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
      log.warn({ session: id, err: error }, "could not look for the transcript");
    }
    if (beganMs !== this.#beganMs || ++this.#tries >= MOST_TRIES) return;
    const againMs = Math.min(AGAIN_MS, FIRST_MS * 2 ** this.#tries);
    this.#timer = setTimeout(() => void this.#look(), againMs);
  }

  async #found(path: string): Promise<void> {
    const identity = this.#session.carrying.mode.sources.transcript?.identityIn?.(basename(path));
    if (identity) return this.#session.intake.take({ identity, transcript: path });
    if (this.#isNamed) await this.#session.intake.take({ transcript: path });
  }

  /** Picks the file that was written last, where there are several, as after a new conversation in the same process. */
  async #find(): Promise<Found | undefined> {
    if (this.#isNamed) return this.#findNamed();
    const { leftovers, carrying, folder } = this.#session;
    const processes = await leftovers.of(carrying.launch.marker, folder);
    const root = realPathOf(this.#folder as string);
    const own = new Set(
      processes.flatMap(({ pid }) => writtenBy(pid)).filter((path) => this.#isOwn(path, root)),
    );
    return [...own].map(foundAt).sort((a, b) => b.writtenMs - a.writtenMs)[0];
  }

  #findNamed(): Found | undefined {
    const { carrying, target } = this.#session;
    const path =
      target.nativeId === null
        ? undefined
        : findNamed(carrying.mode.sources.transcript, this.#folder as string, target.nativeId);
    return path === undefined ? undefined : { path, writtenMs: Date.now() };
  }

  #isOwn(path: string, root: string): boolean {
    const { transcript } = this.#session.carrying.mode.sources;
    if (!path.startsWith(`${root}/`) || transcript?.identityIn?.(basename(path)) === undefined) return false;
    return transcript.isOwn?.(firstLineOf(path)) ?? true;
  }
}

interface Found {
  readonly path: string;
  readonly writtenMs: number;
}

function foundAt(path: string): Found {
  return { path, writtenMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
}
