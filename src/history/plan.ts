import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { HistoryFacts } from "../agents/history.ts";
import { makeSessionId } from "../domain/session/id.ts";
import {
  type AgentType,
  DEFAULT_IDENTITY,
  type Identity,
  type SessionRow,
} from "../domain/session/session.ts";
import type { Instant } from "../domain/time.ts";
import { isProcessAlive } from "../machine/process.ts";
import { workspaceOf } from "../machine/workspace.ts";
import { type Context, nowOf } from "../record/context.ts";
import { type ImportState, NEW_STATE, readState } from "./import-state.ts";
import type { BaseMemory, Bases } from "./lineage/base-memory.ts";
import type { Source } from "./sources.ts";

/** The session that one history is read into, and the place to read on from. */
export interface SourcePlan {
  readonly source: Source;
  readonly sessionId: string;
  /** There is no record yet. */
  readonly isNew: boolean;
  readonly from: number;
  readonly state: ImportState;
  /** Turns that the session has by now, in all of its files. */
  readonly knownTurns: number;
  /** For a new record. */
  readonly identity: Identity;
  readonly createdAt: Instant;
  readonly isSubagent: boolean;
  /** Someone writes it at the moment, so that nothing can be said about its end. */
  readonly isBusy: boolean;
}

/** A history that is read from its beginning, and what is known of it before. */
export interface NewSource {
  readonly source: Source;
  readonly nativeId: string;
  readonly facts: HistoryFacts;
  readonly copiedTo: number;
  /** The copies are of another file of the same session. */
  readonly isOwnCopy: boolean;
  readonly ownSince: Instant | null;
  /** Native ids of the session that it continues, and of the one that it helps. */
  readonly forkedFrom: string | null;
  readonly parent: string | null;
  /** Names of records that would show that relatives have to be read again. */
  readonly awaited: readonly string[];
}

/** The record of a session with this native id: one that Rollcall carried is preferred. */
export async function findByNativeId(
  { store }: Pick<Context, "store">,
  agentType: AgentType,
  nativeId: string,
): Promise<SessionRow | undefined> {
  const { items } = await store.list({ nativeId, limit: 0 });
  const rows = items.map(({ row }) => row).filter((row) => row.agentType === agentType);
  return rows.find(isCarried) ?? rows[0];
}

/** Its record is kept by who carries it; the history on disk adds nothing. */
export function isCarried({ origin, carried }: SessionRow): boolean {
  return carried !== null || !["imported", "observed"].includes(origin);
}

/**
 * Whether a history that grew is read from its beginning: one that holds nothing of its own so far may get more copies,
 * and one that has outgrown its relatives was not read again together with them when an import was stopped.
 */
export async function isReadAnew(
  { store }: Pick<Context, "store">,
  { source }: Source,
  { id, origin }: SessionRow,
): Promise<boolean> {
  const cursor = origin === "imported" ? await store.findCursor(id, source) : undefined;
  const { isCopy, isOutgrown } = readState(cursor?.memory);
  return isCopy || isOutgrown;
}

/** Its process is known, as the daemon saw it, and lives: most agents close their history after each record. */
function isRunning(row: SessionRow | undefined): boolean {
  return row?.process != null && isProcessAlive(row.process);
}

export async function planNew(
  context: Context,
  given: NewSource,
  { bases, isBusy }: { readonly bases: Bases; readonly isBusy: boolean },
): Promise<SourcePlan> {
  const { source, nativeId, copiedTo, isOwnCopy, awaited } = given;
  const base = await bases.read(source, given.facts.base);
  const known = await findByNativeId(context, source.agent.type, nativeId);
  const createdAt = given.ownSince ?? given.facts.startedAt ?? nowOf(context);
  return {
    source,
    // The id comes from what does not change when an origin is found later.
    sessionId:
      known?.id ?? (await freeId(context, source.agent.type, nativeId, given.facts.startedAt ?? createdAt)),
    isNew: known === undefined,
    from: 0,
    // Turns of another file of the same session are counted on.
    state: {
      ...NEW_STATE,
      ...withBase(known && (await goesOn(context, known.id, source)), base),
      copiedTo,
      isOwnCopy,
      isCopy: true,
      isSubagent: given.parent !== null,
      forkedFrom: given.facts.forkedFrom ?? null,
      parent: given.parent,
      ownOrdinal: given.facts.ownOrdinal ?? null,
      base: given.facts.base ?? null,
      isBaseRead: base.isBaseRead,
      awaited,
      number: known?.turn?.number ?? 0,
    },
    knownTurns: known?.turn?.number ?? 0,
    identity: await identityOf(context, given),
    createdAt,
    isSubagent: given.parent !== null,
    isBusy: isBusy || isRunning(known),
  };
}

function withBase(
  before: Pick<ImportState, "memory" | "visible"> | undefined,
  { memory }: BaseMemory,
): Partial<ImportState> {
  return { ...before, memory: { ...before?.memory, ...memory } };
}

/** A session may go on in another file, which is named after the one before: what is visible of it goes on there. */
async function goesOn(
  { store }: Pick<Context, "store">,
  sessionId: string,
  { source, agent }: Source,
): Promise<Pick<ImportState, "memory" | "visible"> | undefined> {
  if (agent.history?.isNamedOnce !== true) return undefined;
  const cursors = (await store.cursors()).filter((cursor) => cursor.sessionId === sessionId);
  const names = cursors.map((cursor) => cursor.source).filter((name) => basename(name) < basename(source));
  const before = names.toSorted((a, b) => basename(a).localeCompare(basename(b))).at(-1);
  const cursor = before === undefined ? undefined : await store.findCursor(sessionId, before);
  if (!cursor) return undefined;
  const { memory, visible } = readState(cursor.memory);
  return { memory, visible };
}

export async function planGrown(
  context: Context,
  source: Source,
  row: SessionRow,
  isBusy: boolean,
): Promise<SourcePlan> {
  const cursor = await context.store.findCursor(row.id, source.source);
  // Another file of the session may have been read since the row was.
  const now = (await context.store.findRow(row.id)) ?? row;
  const from = cursor?.byteOffset ?? 0;
  const state = readState(cursor?.memory);
  return {
    source,
    sessionId: row.id,
    isNew: false,
    from,
    state,
    knownTurns: now.turn?.number ?? 0,
    identity: row,
    createdAt: row.createdAt,
    isSubagent: state.isSubagent,
    isBusy: isBusy || isRunning(row),
  };
}

/** The records of the session that it continues, and of the one that it helps; null where there is none yet. */
export async function linksOf(
  context: Pick<Context, "store">,
  { source, nativeId, forkedFrom, parent }: NewSource,
): Promise<Pick<Identity, "forkedFrom" | "parentId">> {
  const idOf = async (of: string | null) =>
    of === null || of === nativeId
      ? null
      : ((await findByNativeId(context, source.agent.type, of))?.id ?? null);
  return { forkedFrom: await idOf(forkedFrom), parentId: await idOf(parent) };
}

async function identityOf(context: Context, given: NewSource): Promise<Identity> {
  const { source, nativeId, facts } = given;
  return {
    ...DEFAULT_IDENTITY,
    agentType: source.agent.type,
    agentName: facts.agentName ?? null,
    ...(facts.purpose === undefined ? {} : { purpose: facts.purpose }),
    agentVersion: facts.agentVersion ?? null,
    kind: facts.kind ?? "interactive",
    machine: context.config.machine,
    workspacePath: facts.cwd === undefined ? null : workspaceOf(facts.cwd),
    gitBranch: facts.gitBranch ?? null,
    gitCommit: facts.gitCommit ?? null,
    nativeId,
    ...(await linksOf(context, given)),
  };
}

/** The same history has the same id again, unless another session has it by now. */
async function freeId(context: Context, type: string, nativeId: string, at: Instant): Promise<string> {
  for (let count = 0; ; count++) {
    const digits = createHash("sha256")
      .update(`${type} ${nativeId} ${count || ""}`)
      .digest("hex")
      .slice(0, 6);
    const id = makeSessionId(at, digits);
    if (!(await context.store.findRow(id))) return id;
  }
}
