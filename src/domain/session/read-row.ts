import { isJsonObject } from "../json.ts";
import type { DeclaredTotals } from "../usage.ts";
import { SOURCES } from "./evidence.ts";
import { OUTCOMES } from "./outcome.ts";
import { PHASES } from "./phase.ts";
import { AGENT_TYPES, CHANNELS, DEFAULT_IDENTITY, KINDS, ORIGINS, type SessionRow } from "./session.ts";
import { STATES } from "./state.ts";
import { TURN_STATES } from "./turn.ts";

/**
 * A row as it was kept, made safe to use: words that this version does not know become the neutral ones and
 * negative counters 0. Undefined where it is no row at all.
 */
export function readRow(kept: unknown): SessionRow | undefined {
  if (!isJsonObject(kept) || typeof kept.id !== "string" || typeof kept.createdAt !== "string")
    return undefined;
  const row = kept as unknown as SessionRow;
  if (isSound(row)) return row.reported === undefined ? { ...row, reported: null } : row;
  return {
    ...row,
    agentType: known(AGENT_TYPES, row.agentType, "unknown"),
    kind: known(KINDS, row.kind, "interactive"),
    channel: known(CHANNELS, row.channel, "cli"),
    origin: known(ORIGINS, row.origin, "created"),
    state: known(STATES, row.state, "unknown"),
    stateSince: row.stateSince ?? row.createdAt,
    stateSource: known(SOURCES, row.stateSource, "declared"),
    phase: known(PHASES, row.phase, "initializing"),
    outcome: row.outcome === null ? null : (OUTCOMES.find((outcome) => outcome === row.outcome) ?? null),
    history: Array.isArray(row.history) ? row.history : [],
    metadata: isJsonObject(row.metadata) ? row.metadata : DEFAULT_IDENTITY.metadata,
    lastActiveAt: row.lastActiveAt ?? row.createdAt,
    errorCount: count(row.errorCount),
    resumeCount: count(row.resumeCount),
    generation: Math.max(1, count(row.generation)),
    turn: isTurn(row.turn) ? row.turn : null,
    waitedMs: count(row.waitedMs),
    turns: count(row.turns),
    totals: row.totals && readTotals(row.totals),
    reported: isJsonObject(row.reported) ? row.reported : null,
  };
}

const TURN_WORDS = new Set<string>(TURN_STATES);

const WORDS = {
  agentType: new Set<string>(AGENT_TYPES),
  kind: new Set<string>(KINDS),
  channel: new Set<string>(CHANNELS),
  origin: new Set<string>(ORIGINS),
  state: new Set<string>(STATES),
  stateSource: new Set<string>(SOURCES),
  phase: new Set<string>(PHASES),
} as const;

function isSound(row: SessionRow): boolean {
  return (
    WORDS.state.has(row.state) &&
    WORDS.phase.has(row.phase) &&
    WORDS.agentType.has(row.agentType) &&
    WORDS.kind.has(row.kind) &&
    WORDS.channel.has(row.channel) &&
    WORDS.origin.has(row.origin) &&
    WORDS.stateSource.has(row.stateSource) &&
    (row.outcome === null || (OUTCOMES as readonly string[]).includes(row.outcome)) &&
    row.errorCount >= 0 &&
    row.resumeCount >= 0 &&
    row.generation >= 1 &&
    row.turns >= 0 &&
    row.waitedMs >= 0 &&
    (row.turn === null || isTurn(row.turn)) &&
    (row.totals === null || Object.values(row.totals).every((total) => total === null || total >= 0)) &&
    typeof row.lastActiveAt === "string" &&
    Array.isArray(row.history) &&
    isJsonObject(row.metadata)
  );
}

function isTurn(turn: SessionRow["turn"] | undefined): boolean {
  return isJsonObject(turn) && Number.isInteger(turn.number) && TURN_WORDS.has(turn.state as string);
}

function readTotals(totals: DeclaredTotals): DeclaredTotals {
  const read = (value: number | null) => (value === null ? null : Math.max(0, value));
  return Object.fromEntries(
    Object.entries(totals).map(([name, value]) => [name, read(value)]),
  ) as unknown as DeclaredTotals;
}

function known<T extends string>(list: readonly T[], value: string, neutral: T): T {
  return list.find((word) => word === value) ?? neutral;
}

function count(value: number): number {
  return Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
