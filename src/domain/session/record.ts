import type { BudgetUse } from "../limits/limit.ts";
import { msBetween } from "../time.ts";
import {
  EMPTY_LEDGER,
  type LedgerSum,
  NO_USAGE,
  type Usage,
  usageOfLedger,
  usageOfTotals,
} from "../usage.ts";
import { aboutOf } from "./about.ts";
import { isFinal } from "./phase.ts";
import type { LiveFacts, Resources, SessionRecord, SessionRow } from "./session.ts";
import { statusOf } from "./state.ts";
import { showTurn } from "./turn.ts";

export const NO_RESOURCES: Resources = {
  cpuPercent: null,
  memoryRssBytes: null,
  memoryVszBytes: null,
  ioReadBytes: null,
  ioWriteBytes: null,
  ioReadChars: null,
  ioWriteChars: null,
  processes: null,
  workspaceBytesUsed: null,
  sampledAt: null,
  avgCpuPercent: null,
  peakMemoryRssBytes: null,
};

export const NO_LIVE_FACTS: LiveFacts = {
  activity: null,
  attached: null,
  lastOutputAt: null,
  resources: NO_RESOURCES,
};

/** The ledger's sum where there is one, else what was declared, else nothing known. */
export function usageOf(row: SessionRow, ledger: LedgerSum = EMPTY_LEDGER): Usage {
  const turns = row.turns > 0 ? row.turns : null;
  if (ledger.requests > 0) return usageOfLedger(ledger, turns);
  if (row.totals) return usageOfTotals(row.totals, turns);
  return turns === null ? NO_USAGE : { ...NO_USAGE, turns };
}

export function toRecord(
  row: SessionRow,
  seen: {
    readonly usage: Usage;
    readonly usageWithChildren: Usage;
    readonly budgets?: readonly BudgetUse[];
    readonly observed: LiveFacts;
  },
): SessionRecord {
  return {
    id: row.id,
    agentType: row.agentType,
    agentName: row.agentName,
    agentVersion: row.agentVersion,
    name: row.name,
    kind: row.kind,
    channel: row.channel,
    role: row.role,
    model: row.model,
    purpose: row.purpose,
    goal: row.goal,
    chainId: row.chainId,
    taskId: row.taskId,
    parentId: row.parentId,
    forkedFrom: row.forkedFrom,
    machine: row.machine,
    workspacePath: row.workspacePath,
    gitBranch: row.gitBranch,
    gitCommit: row.gitCommit,
    nativeId: row.nativeId,
    metadata: row.metadata,
    state: row.state,
    stateSince: row.stateSince,
    stateSource: row.stateSource,
    waiting: row.waiting,
    turn: row.turn && showTurn(row.turn),
    waitedMs: row.waitedMs,
    activity: seen.observed.activity,
    phase: row.phase,
    history: row.history,
    outcome: row.outcome,
    status: statusOf(row),
    endReason: row.endReason,
    exitCode: row.exitCode,
    exitSignal: row.exitSignal,
    summary: row.summary,
    generation: row.generation,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    finalizedAt: row.finalizedAt,
    lastActiveAt: row.lastActiveAt,
    lastInputAt: row.lastInputAt,
    lastOutputAt: seen.observed.lastOutputAt,
    durationMs: durationOf(row),
    resumeReady: row.resumeReady,
    resumeCount: row.resumeCount,
    errorCount: row.errorCount,
    lastError: row.lastError,
    attached: seen.observed.attached,
    usage: seen.usage,
    usageWithChildren: seen.usageWithChildren,
    budgets: seen.budgets ?? [],
    resources: seen.observed.resources,
    seq: row.seq,
    origin: row.origin,
    process: row.process,
    about: aboutOf(row),
  };
}

function durationOf(row: SessionRow): number | null {
  const end = (isFinal(row.phase) ? row.finalizedAt : null) ?? row.endedAt;
  return end === null ? null : Math.max(0, msBetween(row.createdAt, end));
}
