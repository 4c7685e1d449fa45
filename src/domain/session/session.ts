import type { JsonObject } from "../json.ts";
import type { BudgetUse } from "../limits/limit.ts";
import type { ReportedBySource } from "../reported-totals.ts";
import type { Instant } from "../time.ts";
import type { Span } from "../transcript/rewound.ts";
import type { DeclaredTotals, Usage } from "../usage.ts";
import type { Activity } from "./activity.ts";
import type { Carried } from "./carried.ts";
import type { Source } from "./evidence.ts";
import type { Outcome } from "./outcome.ts";
import type { Phase } from "./phase.ts";
import type { State, Status, WaitingFor } from "./state.ts";
import type { NewestTurn, Turn } from "./turn.ts";

export const AGENT_TYPES = ["claude", "codex", "gemini", "opencode", "scripted", "unknown"] as const;
export type AgentType = (typeof AGENT_TYPES)[number];

export const KINDS = ["interactive", "autonomous", "acp"] as const;
export type Kind = (typeof KINDS)[number];

export const CHANNELS = [
  "cli",
  "tui",
  "web",
  "api",
  "mcp",
  "hook",
  "telegram",
  "discord",
  "slack",
  "acp",
] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * How the record came to be. Only a `started` session has a process that Rollcall carries; a `subagent` was found in the
 * work of its parent, and lives in its process.
 */
export const ORIGINS = ["created", "upserted", "started", "imported", "observed", "subagent"] as const;
export type Origin = (typeof ORIGINS)[number];

export interface Identity {
  readonly agentType: AgentType;
  readonly agentName: string | null;
  readonly agentVersion: string | null;
  readonly name: string | null;
  readonly kind: Kind;
  readonly channel: Channel;
  readonly role: string | null;
  readonly model: string | null;
  readonly purpose: string | null;
  readonly goal: string | null;
  readonly chainId: string | null;
  readonly taskId: string | null;
  readonly parentId: string | null;
  readonly forkedFrom: string | null;
  readonly machine: string | null;
  readonly workspacePath: string | null;
  readonly gitBranch: string | null;
  readonly gitCommit: string | null;
  readonly nativeId: string | null;
  readonly metadata: JsonObject;
}

export const DEFAULT_IDENTITY: Identity = {
  agentType: "unknown",
  agentName: null,
  agentVersion: null,
  name: null,
  kind: "interactive",
  channel: "cli",
  role: null,
  model: null,
  purpose: "general",
  goal: null,
  chainId: null,
  taskId: null,
  parentId: null,
  forkedFrom: null,
  machine: null,
  workspacePath: null,
  gitBranch: null,
  gitCommit: null,
  nativeId: null,
  metadata: {},
};

/** A process told apart from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

export interface Waiting {
  readonly for: WaitingFor;
  readonly requestId: string | null;
  readonly tool: string | null;
  readonly input: JsonObject | null;
  readonly question: string | null;
  readonly options: readonly string[] | null;
  readonly since: Instant;
}

/** A question that the agent has put to a person. */
export interface Request extends Waiting {
  readonly for: Exclude<WaitingFor, "prompt">;
  readonly requestId: string;
}

export interface PhaseStep {
  readonly fromPhase: Phase;
  readonly toPhase: Phase;
  readonly timestamp: Instant;
}

/** A session after its events: the row that the store keeps beside them. */
export interface SessionRow extends Identity {
  readonly id: string;
  readonly seq: number;
  readonly origin: Origin;
  readonly process: ProcessIdentity | null;
  /** Whether a record file is kept in the workspace. */
  readonly hasFile: boolean;
  readonly state: State;
  readonly stateSince: Instant;
  readonly stateSource: Source;
  readonly waiting: Waiting | null;
  /** Null where turns are not seen: of plain commands and of records made by hand. */
  readonly turn: NewestTurn | null;
  /** The sum of its closed waits for a person; the open one is `waiting.since`. */
  readonly waitedMs: number;
  readonly phase: Phase;
  readonly history: readonly PhaseStep[];
  readonly outcome: Outcome | null;
  readonly endReason: string | null;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly summary: string | null;
  readonly generation: number;
  readonly createdAt: Instant;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly finalizedAt: Instant | null;
  readonly lastActiveAt: Instant;
  readonly lastInputAt: Instant | null;
  readonly resumeReady: boolean;
  readonly resumeCount: number;
  readonly errorCount: number;
  readonly lastError: { readonly message: string; readonly at: Instant } | null;
  /** Its first text, in one line. */
  readonly firstText: string | null;
  /** Turns that are done; where turns are not seen, the texts of a user among the entries. */
  readonly turns: number;
  readonly totals: DeclaredTotals | null;
  /** The running totals of the agent itself; beside the ledger, and never counted. */
  readonly reported: ReportedBySource | null;
  /** Events whose entries are no part of the conversation any more; absent where nothing was taken back. */
  readonly rewound?: readonly Span[];
  /** Null for a session whose process someone else carries. */
  readonly carried: Carried | null;
}

export interface Resources {
  readonly cpuPercent: number | null;
  readonly memoryRssBytes: number | null;
  readonly memoryVszBytes: number | null;
  readonly ioReadBytes: number | null;
  readonly ioWriteBytes: number | null;
  readonly ioReadChars: number | null;
  readonly ioWriteChars: number | null;
  readonly processes: number | null;
  readonly workspaceBytesUsed: number | null;
  readonly sampledAt: Instant | null;
  readonly avgCpuPercent: number | null;
  readonly peakMemoryRssBytes: number | null;
}

/** Observations that may be lost for seconds in a crash; never part of the row. */
export interface LiveFacts {
  readonly activity: Activity | null;
  readonly attached: boolean | null;
  readonly lastOutputAt: Instant | null;
  readonly resources: Resources;
}

/** The whole record of a session, as every door shows it. */
export interface SessionRecord
  extends Omit<
      SessionRow,
      "hasFile" | "firstText" | "turn" | "turns" | "totals" | "reported" | "rewound" | "carried"
    >,
    LiveFacts {
  readonly turn: Turn | null;
  /** In one line, for people; derived from purpose, goal, command line and first text. */
  readonly about: string | null;
  readonly status: Status;
  readonly durationMs: number | null;
  readonly usage: Usage;
  readonly usageWithChildren: Usage;
  /** How much of its budgets is used; empty where it has none. */
  readonly budgets: readonly BudgetUse[];
}
