import type { End, Outcome } from "./outcome.ts";

/** The observed activity of a session. */
export const STATES = [
  "starting",
  "running",
  "waiting_input",
  "paused",
  "resuming",
  "stopping",
  "stopped",
  "failed",
  "unknown",
] as const;
export type State = (typeof STATES)[number];

export const LIVE_STATES = [
  "starting",
  "running",
  "waiting_input",
  "paused",
  "resuming",
  "stopping",
] as const;

export type LiveState = (typeof LIVE_STATES)[number];

/** Why a session is lost: neither a process of it nor its end can be shown. */
export const LOSSES = ["holder_lost", "machine_reboot", "no_process", "not_proven"] as const;
export type LossReason = (typeof LOSSES)[number];

/** The `end_reason` of a session that runs while nothing shows what it does. */
export const NOT_READY = "not_ready";

export const WAITING_FOR = ["prompt", "permission", "question", "trust", "login", "limit", "dialog"] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];

/** Changes that observation alone may make. `declared` changes and a resume stand beside this table, in `apply`. */
const MOVES: Readonly<Record<State, readonly State[]>> = {
  starting: ["running", "waiting_input", "paused", "stopping", "stopped", "failed", "unknown"],
  resuming: ["running", "waiting_input", "paused", "stopping", "stopped", "failed", "unknown"],
  running: ["waiting_input", "paused", "stopping", "stopped", "failed", "unknown"],
  // A dialog before the first prompt was answered: back to where it came from.
  waiting_input: [
    "waiting_input",
    "running",
    "starting",
    "resuming",
    "paused",
    "stopping",
    "stopped",
    "failed",
    "unknown",
  ],
  paused: ["starting", "running", "waiting_input", "resuming", "stopping", "stopped", "failed", "unknown"],
  stopping: ["paused", "stopped", "failed", "unknown"],
  stopped: [],
  failed: [],
  // Only what is known to live can be paused.
  unknown: STATES.filter((state) => state !== "paused"),
};

export function canMove(from: State, to: State): boolean {
  return MOVES[from].includes(to);
}

export function isLive(state: State): state is LiveState {
  return (LIVE_STATES as readonly State[]).includes(state);
}

/** Ended for certain; `unknown` is not. */
export function isEnded(state: State): boolean {
  return state === "stopped" || state === "failed";
}

/** A summary of state and outcome for fleet views. Derived, never stored. */
export const STATUSES = ["active", "completed", "failed", "cancelled", "unknown"] as const;
export type Status = (typeof STATUSES)[number];

export function statusOf(session: { readonly state: State; readonly outcome: Outcome | null }): Status {
  if (isLive(session.state)) return "active";
  if (session.state === "unknown") return "unknown";
  if (session.state === "failed" || session.outcome === "failure") return "failed";
  if (session.outcome === "success") return "completed";
  return session.outcome === "interrupted" ? "cancelled" : "unknown";
}

/** The state that a declared status means, with its outcome. */
export type DeclaredState =
  | End
  | { readonly state: "running"; readonly outcome: null }
  | { readonly state: "unknown"; readonly outcome: null };

export const DECLARED_STATUS: Readonly<Record<Status, DeclaredState>> = {
  active: { state: "running", outcome: null },
  completed: { state: "stopped", outcome: "success" },
  failed: { state: "failed", outcome: "failure" },
  cancelled: { state: "stopped", outcome: "interrupted" },
  unknown: { state: "unknown", outcome: null },
};
