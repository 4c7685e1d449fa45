import { checkCount, checkInstant, checkMetadata, checkOneOf, checkText, show } from "../check.ts";
import { RollcallError } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import type { Instant } from "../time.ts";
import type { DeclaredTotals } from "../usage.ts";
import type { EventBody } from "./event.ts";
import { checkReference, checkSessionId } from "./id.ts";
import { AGENT_TYPES, CHANNELS, DEFAULT_IDENTITY, type Identity, KINDS, type SessionRow } from "./session.ts";
import { STATUSES, type Status, statusOf } from "./state.ts";
import { carriedError, declareStatus } from "./update.ts";

/** A fleet writer's report of a session that Rollcall does not run. An absent key says nothing. */
export interface Upsert {
  readonly id: string;
  readonly identity: Partial<Identity>;
  readonly totals: Partial<DeclaredTotals>;
  /** The metadata is unknown: what was there goes, instead of being merged with. */
  readonly forgetsMetadata?: boolean;
  readonly status?: Status;
  readonly createdAt?: Instant;
  readonly lastActiveAt?: Instant;
}

/** Filled key by key while a line is read; each reader checks what it puts in. */
type Parsed = { -readonly [K in keyof Omit<Upsert, "identity" | "totals">]: Upsert[K] } & {
  identity: Record<string, unknown>;
  totals: Record<string, unknown>;
};
type Reader = (into: Parsed, value: unknown, key: string) => void;

const TEXTS = {
  agent_name: "agentName",
  agent_version: "agentVersion",
  role: "role",
  model: "model",
  purpose: "purpose",
  goal: "goal",
  goal_text: "goal",
  chain_id: "chainId",
  task_id: "taskId",
  parent_id: "parentId",
  forked_from: "forkedFrom",
  machine: "machine",
  workspace_path: "workspacePath",
  git_branch: "gitBranch",
  git_commit: "gitCommit",
  native_id: "nativeId",
} as const satisfies Record<string, keyof Identity>;

const COUNTS = {
  turns: "turns",
  tokens_input: "tokensInput",
  prompt_tokens: "tokensInput",
  tokens_output: "tokensOutput",
  completion_tokens: "tokensOutput",
  tokens_cache_read: "tokensCacheRead",
  tokens_cache_write: "tokensCacheWrite",
  tokens_reasoning: "tokensReasoning",
  reasoning_tokens: "tokensReasoning",
} as const satisfies Record<string, keyof DeclaredTotals>;

const READERS: Readonly<Record<string, Reader>> = {
  id: (into, value) => {
    into.id = checkSessionId(checkText(value, "id"));
  },
  agent_type: (into, value) => {
    into.identity.agentType = value === null ? "unknown" : checkOneOf(AGENT_TYPES, value, "agent type");
  },
  name: (into, value) => {
    into.identity.name = value === null ? null : checkReference(checkText(value, "name"), "name");
  },
  kind: (into, value) => {
    into.identity.kind = checkOneOf(KINDS, value, "kind");
  },
  channel: (into, value) => {
    into.identity.channel = checkOneOf(CHANNELS, value, "channel");
  },
  metadata: (into, value) => {
    if (value === null) into.forgetsMetadata = true;
    into.identity.metadata = value === null ? {} : checkMetadata(value);
  },
  status: (into, value) => {
    into.status = value === null ? "unknown" : checkOneOf(STATUSES, value, "status");
  },
  created_at: (into, value) => {
    if (value !== null) into.createdAt = checkInstant(value, "created_at");
  },
  last_active_at: (into, value) => {
    if (value !== null) into.lastActiveAt = checkInstant(value, "last_active_at");
  },
  cost_usd: (into, value) => {
    into.totals.costUsd = value === null ? null : checkMoney(value, "cost_usd");
  },
  cost_cents: (into, value) => {
    into.totals.costUsd = value === null ? null : checkMoney(value, "cost_cents") / 100;
  },
  ...readers(TEXTS, (field) => (into, value, key) => {
    into.identity[field] = value === null ? null : checkText(value, key);
  }),
  ...readers(COUNTS, (field) => (into, value, key) => {
    into.totals[field] = value === null ? null : checkCount(value, key);
  }),
};

/** Reads one line of `upsert`; refuses it whole when any of it is wrong. */
export function parseUpsert(line: unknown): Upsert {
  if (!isJsonObject(line))
    throw new RollcallError("bad_input", `Each line must be a JSON object, not ${show(line)}.`);
  const parsed: Parsed = { id: "", identity: {}, totals: {} };
  for (const [key, value] of Object.entries(line)) {
    const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
    if (!read) throw unknownKey(key);
    read(parsed, value, key);
  }
  if (parsed.id === "")
    throw new RollcallError("bad_input", "The line has no id.", { hint: "Every line needs an id." });
  return parsed;
}

export interface UpsertContext {
  readonly now: Instant;
  /** The machine of a new session unless the writer says otherwise. */
  readonly machine: string;
  readonly ledgerRequests: number;
}

/** The events that bring a session to what was said of it, each with the time it speaks of. */
export function decideUpsert(
  row: SessionRow | undefined,
  upsert: Upsert,
  context: UpsertContext,
): TimedBody[] {
  if (row?.origin === "started") throw carriedError(row);
  const at = upsert.lastActiveAt ?? context.now;
  const timed = (bodies: readonly EventBody[]) => bodies.map((body) => ({ at, body }));
  const totals = declareTotals(upsert, context);
  if (row === undefined) return timed([create(upsert, context), ...declareEnd(upsert), ...totals]);
  const { metadata, ...identity } = upsert.identity;
  const kept = upsert.forgetsMetadata ? {} : row.metadata;
  const merged = metadata === undefined ? {} : { metadata: checkMetadata({ ...kept, ...metadata }) };
  const identified: EventBody = {
    kind: "identified",
    identity: { ...identity, ...merged },
    ...(upsert.lastActiveAt === undefined ? {} : { lastActiveAt: upsert.lastActiveAt }),
  };
  return timed([...changedStatus(row, upsert.status), ...totals, identified]);
}

export interface TimedBody {
  readonly at: Instant;
  readonly body: EventBody;
}

function create(upsert: Upsert, { machine }: UpsertContext): EventBody {
  return {
    kind: "created",
    identity: { ...DEFAULT_IDENTITY, purpose: null, machine, ...upsert.identity },
    origin: "upserted",
    state: "running",
    evidence: { source: "declared", rule: "upsert", excerpt: upsert.status ?? null },
    process: null,
    hasFile: false,
    ...(upsert.createdAt === undefined ? {} : { createdAt: upsert.createdAt }),
  };
}

function declareEnd(upsert: Upsert): EventBody[] {
  return upsert.status === "active" ? [] : declareStatus(undefined, upsert.status);
}

/** Saying again what is so already is no change of state. */
function changedStatus(row: SessionRow, status: Status | undefined): EventBody[] {
  return status === undefined || status === statusOf(row) ? [] : declareStatus(row, status);
}

function declareTotals(upsert: Upsert, { ledgerRequests }: UpsertContext): EventBody[] {
  if (Object.keys(upsert.totals).length === 0) return [];
  if (ledgerRequests > 0) {
    throw new RollcallError(
      "totals_from_ledger",
      `The usage of session ${upsert.id} is counted request by request.`,
      {
        hint: "Leave the totals out: they are the sum of its requests.",
      },
    );
  }
  return [{ kind: "totals_declared", totals: upsert.totals }];
}

function checkMoney(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new RollcallError("bad_input", `${what} must be a number from 0 up, not ${show(value)}.`);
}

function unknownKey(key: string): RollcallError {
  return new RollcallError("bad_input", `${show(key)} is not a field that upsert knows.`, {
    hint: `Known: ${Object.keys(READERS).sort().join(", ")}.`,
  });
}

function readers(
  fields: Readonly<Record<string, string>>,
  make: (field: string) => Reader,
): Record<string, Reader> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, make(field)]));
}
