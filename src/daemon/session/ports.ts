import type { Logger } from "pino";
import type { Deed, Target } from "../../agents/deed.ts";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { Channel, SessionRow, Waiting } from "../../domain/session/session.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { Config } from "../../home/settings.ts";
import type { HolderConnection } from "../../host/holder.ts";
import type { HolderStatus, Stream } from "../../host/holder-message.ts";
import type { Screen } from "../../host/screen.ts";
import type { Carrying } from "./carrying.ts";
import type { AskedBy, Committed } from "./committed.ts";

/**
 * The parts of a live session see each other through these interfaces alone. A part names those that it needs, so that
 * it can be made, and tested, without the rest.
 */

/** The facts of one launch. Nothing of them changes while it is carried. */
export interface Facts {
  readonly id: string;
  readonly folder: string;
  readonly carrying: Carrying;
}

/** Milliseconds of the wall clock. Tests hand in their own. */
export interface WallClock {
  now(): number;
}

export interface Logs {
  readonly log: Logger;
}

/** The settings as they are now, with the project's. */
export interface Settings {
  readonly config: Config;
}

/** The session loop: an observation is decided, committed and acted on before the next one. */
export interface Loop {
  observe(observation: Observation, asked?: AskedBy): Promise<Committed>;
  /** Adds events that need no decision. */
  append(bodies: readonly EventBody[], channel?: Channel | null): Promise<Committed>;
  row(): Promise<SessionRow | undefined>;
  /** Looks for traces of the launch after this time. */
  look(afterMs: number): void;
}

/** The target of the agent's controls. */
export interface Aim {
  readonly target: Target;
}

/** The holder of the agent's process. */
export interface HolderPort {
  readonly holder: {
    /** Undefined while no holder is known, and after it has left. */
    readonly connection: HolderConnection | undefined;
    /** Undefined when the holder cannot answer now. */
    status(): Promise<HolderStatus | undefined>;
    /** Resolves once there is a connection, or none can come any more. */
    reachable(): Promise<void>;
  };
}

export interface ScreenPort {
  readonly screen: {
    /** Undefined where there is no terminal, or no holder to ask. */
    now(): Promise<Screen | undefined>;
    /** Output came: the screen may show something else. */
    changed(): void;
  };
}

export interface TranscriptPort {
  readonly transcript: {
    readonly path: string | null;
    /** The agent writes another file from now on. */
    follow(path: string): void;
    /** Waits for the end of the turn in the file; false where it did not come in time. */
    readTurn(withinMs?: number): Promise<boolean>;
  };
}

/** A transcript whose name only its agent knows. */
export interface FinderPort {
  readonly transcriptFinder: {
    /** The agent has begun something: it may write a new file now. */
    begin(): void;
  };
}

/** The sub-agents of a session, which are sessions of their own. */
export interface SubagentsPort {
  readonly subagents: {
    /** Something shows that there may be another one. */
    lookSoon(): void;
    /** The session says that these are done with their task. */
    finish(nativeIds: readonly string[]): void;
  };
}

/** The memory of the parsers. */
export interface MemoryPort {
  readonly memory: {
    readonly all: Memory;
    /** Writes all that the work remembers once, behind it. */
    together(work: () => Promise<void>): Promise<void>;
  };
}

/** The ways to the agent. */
export interface DeliveryPort {
  readonly delivery: {
    untilReadyMs(deed: Deed, request: Waiting | null): Promise<number>;
    deliver(deed: Deed): Promise<void>;
    /** All that follows from what was delivered is in the record. */
    implied(): Promise<void>;
  };
}

/** The sources of a session, all together. */
export interface SourcesPort {
  readonly sources: {
    /** Reads everything that the agent has written by now. */
    catchUp(): Promise<void>;
    /** Reads all that an agent said which has left. */
    readRest(): Promise<void>;
  };
}

/** A place in an agent's output or transcript: a piece that is read twice is added once. */
export interface Place {
  readonly key: string;
  /** The key belongs to this; to the launch where nothing else is said. */
  readonly of?: string;
  readonly consumed?: { readonly stream: Stream; readonly offset: number };
  /** The text of a user here begins a turn of its own. */
  readonly opensTurn?: boolean;
  /** The conversation was taken back before this piece, to before the entry with this id. */
  readonly rewoundSince?: string;
  /** How far the source was read before this piece. */
  readonly cursors?: readonly ReadCursor[];
}

/** The one way of parsed pieces into the record. */
export interface IntakePort {
  readonly intake: {
    /** Parses one piece with what the parsers remember, and takes the result in. */
    parsed(parse: (memory: Memory) => Parsed, place?: Place | null): Promise<void>;
    take(parsed: Parsed, place?: Place | null): Promise<void>;
    signal(signal: Signal): Promise<void>;
    /** Something else confirms a signal that is held back. */
    settle(): Promise<void>;
    /** A notice in the transcript, once for each key. */
    notice(key: string, text: string): Promise<void>;
    /** Whether anybody waits to hear which texts the agent has accepted. */
    readonly isAwaited: boolean;
  };
}
