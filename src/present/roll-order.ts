import type { SessionRecord } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";

/** One session on the roll. */
export interface RollRow {
  readonly session: SessionRecord;
  /** How many sessions above it started it, one after the other. */
  readonly depth: number;
}

/**
 * The order of the roll: who asks something first, then who waits at a prompt, the longest first; then the others as
 * they came, each below the session that started it.
 */
export function rollOrder(sessions: readonly SessionRecord[]): RollRow[] {
  const others = sessions.filter((session) => !isWaiting(session));
  return nestRows(waitingFirst(sessions), others);
}

/** The order of a list: as it came, each session below the one that started it where that is in the list. */
export function listOrder(sessions: readonly SessionRecord[]): RollRow[] {
  return nestRows([], sessions);
}

/** The others stand below their parents, behind `first`. */
function nestRows(first: readonly SessionRecord[], others: readonly SessionRecord[]): RollRow[] {
  const ids = new Set([...first, ...others].map(({ id }) => id));
  const isTop = ({ id, parentId }: SessionRecord) =>
    parentId === null || parentId === id || !ids.has(parentId);
  const children = Map.groupBy(others, ({ parentId }) => parentId);
  const seen = new Set<string>();
  const withChildren = (session: SessionRecord, depth: number): RollRow[] => {
    if (seen.has(session.id)) return [];
    seen.add(session.id);
    const below = children.get(session.id) ?? [];
    return [{ session, depth }, ...below.flatMap((child) => withChildren(child, depth + 1))];
  };
  // The last are those whose ancestors lead in a circle, as records made by hand may.
  return [...first, ...others.filter(isTop), ...others].flatMap((session) => withChildren(session, 0));
}

/** How long a session that ended stays on the roll. */
export const LATELY_MS = 10 * 60_000;

/** Those that ended, failed or were lost a short time ago, the newest first. What sub-agents did is their parent's. */
export function endedLately(sessions: readonly SessionRecord[], now: number): SessionRecord[] {
  const at = ({ endedAt, stateSince }: SessionRecord) => endedAt ?? stateSince;
  return sessions
    .filter(({ origin }) => origin !== "subagent")
    .filter((session) => !isLive(session.state) && now - Date.parse(at(session)) < LATELY_MS)
    .sort((a, b) => compare(at(b), at(a)));
}

/** Those that wait for a person, as the roll shows them. */
export function waitingFirst(sessions: readonly SessionRecord[]): SessionRecord[] {
  const since = ({ waiting, stateSince }: SessionRecord) => waiting?.since ?? stateSince;
  return sessions
    .filter(isWaiting)
    .sort(
      (a, b) => urgency(a) - urgency(b) || compare(since(a), since(b)) || compare(a.stateSince, b.stateSince),
    );
}

export function isWaiting({ state }: SessionRecord): boolean {
  return state === "waiting_input";
}

/** At a mere prompt nothing stands still that was begun. */
export function isAsking(session: SessionRecord): boolean {
  return isWaiting(session) && session.waiting?.for !== "prompt";
}

/** Whether there is a terminal of ours to attach to. */
export function canAttach({ origin, kind }: SessionRecord): boolean {
  return origin === "started" && kind === "interactive";
}

function urgency(session: SessionRecord): number {
  return isAsking(session) ? 0 : 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
