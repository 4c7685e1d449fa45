import type { SessionLoop } from "../../daemon/session/session-loop.ts";
import type { TimeLimit } from "../../domain/limits/limit.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { decide } from "../../domain/supervise/supervise.ts";

/** A fault of a daemon, to prove that the simulation notices. */
export interface Planted {
  readonly decide?: typeof decide;
  readonly Loop?: typeof SessionLoop;
  /** Kills and stops by pid and start time alone. */
  readonly skipsMarker?: boolean;
  /** Kills by pid alone. */
  readonly skipsIdentity?: boolean;
  /** Its store answers before it commits. */
  readonly answersEarly?: boolean;
  /** Does not look what is there when it starts. */
  readonly forgetsToLook?: boolean;
  /** Reads the exit before it looks who lives. */
  readonly readsExitFirst?: boolean;
  /** Takes whoever has the pid and start time of the holder for the holder. */
  readonly trustsPids?: boolean;
}

/** Choices that daemons may make in more than one way; each world has its own. */
export interface Habits {
  /** An end that no connection takes is left in the folder for the holder to find. */
  readonly endsByFile: boolean;
  /** The age of a launch is counted from the last change of state. */
  readonly agesByState: boolean;
  /** An adopted process is told of only where none was known. */
  readonly tellsOnce: boolean;
  /** A look runs beside the queue of observations; otherwise it takes its turn in it. */
  readonly looksAside: boolean;
  /** The holder pauses its tree for whoever is connected; otherwise each process is stopped by its marker. */
  readonly pausesByHolder: boolean;
}

/** The facts of a session that do not change. */
export interface Spec {
  readonly id: string;
  readonly isReady: boolean;
  readonly tellsTurns: boolean;
  readonly keepsChildren: boolean;
  readonly limits: readonly TimeLimit[];
}

export interface Hook {
  readonly sessionId: string;
  readonly generation: number;
  readonly signal: Signal;
}
