import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { NO_TOTALS, NOTHING_HAPPENED } from "../domain/apply.ts";
import type { Entry, EntryKind, NewEntry } from "../domain/entry.ts";
import { ENTRY_KINDS, ENTRY_ROLES } from "../domain/entry.ts";
import { RollcallError } from "../domain/errors.ts";
import { checkSessionId, isSessionId } from "../domain/id.ts";
import { isJsonObject, type JsonObject } from "../domain/json.ts";
import { readRow } from "../domain/read-row.ts";
import { DEFAULT_IDENTITY, type SessionRow } from "../domain/session.ts";
import { type Instant, parseInstant } from "../domain/time.ts";
import type { DeclaredTotals } from "../domain/usage.ts";
import { stamp } from "./context.ts";
import { type Place, recordFilePath, sessionsFolder } from "./record-file.ts";
import type { Rollcall } from "./rollcall.ts";
import { workspaceOf } from "./workspace.ts";

export interface RestoreFilesReport {
  readonly restored: readonly string[];
  /** In the store already, and left alone. */
  readonly present: readonly string[];
  readonly corrupt: readonly { readonly path: string; readonly problem: string }[];
}

/** Rebuilds sessions that the store does not have from the record files of a folder. Damaged files are named and kept. */
export async function restoreFromFiles(rollcall: Rollcall, folder: string): Promise<RestoreFilesReport> {
  const report = {
    restored: [] as string[],
    present: [] as string[],
    corrupt: [] as { path: string; problem: string }[],
  };
  for (const path of recordFilesIn(folder)) {
    try {
      const { row, entries } = readRecordFile(path);
      if (await rollcall.find(row.id)) report.present.push(row.id);
      else report.restored.push(await rebuild(rollcall, row, entries));
    } catch (error) {
      if (!(error instanceof RollcallError) || error.code !== "corrupt") throw error;
      report.corrupt.push({ path, problem: error.message });
    }
  }
  return report;
}

export async function restoreFile(rollcall: Rollcall, path: string): Promise<string> {
  const { row, entries } = readRecordFile(path);
  return rebuild(rollcall, row, entries);
}

/** The file of a session that the store does not know, in the workspace we are in. */
export function findRecordFile(rollcall: Rollcall, id: string): string {
  const path = recordFilePath(workspaceOf(rollcall.context.cwd), checkSessionId(id));
  if (existsSync(path)) return path;
  throw new RollcallError(
    "session_not_found",
    `There is no session ${id}, neither in the store nor at ${path}.`,
    {
      hint: "See `rollcall list`.",
    },
  );
}

/** A folder of record files, or a workspace that holds one. */
function recordFilesIn(folder: string): string[] {
  const inside = sessionsFolder(folder);
  const place = existsSync(inside) ? inside : folder;
  if (!existsSync(place)) {
    throw new RollcallError("not_found", `There is no folder ${folder}.`, {
      hint: "Name a workspace or a folder of record files.",
    });
  }
  const names = readdirSync(place).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => join(place, name));
}

async function rebuild(
  rollcall: Rollcall,
  row: Omit<SessionRow, "seq">,
  entries: readonly TimedEntry[],
): Promise<string> {
  const { context } = rollcall;
  const restored = stamp(context, { kind: "restored", row: { ...row, turns: 0 } }, row.lastActiveAt);
  const rest = entries.map(({ at, entry }) => stamp(context, { kind: "entry_added", entry }, at));
  await context.store.change(row.id, () => [restored, ...rest], { expectedSeq: 0 });
  await rollcall.saveFile(row.id);
  return row.id;
}

interface TimedEntry {
  readonly at: Instant;
  readonly entry: NewEntry;
}

interface RecordFile {
  readonly row: Omit<SessionRow, "seq">;
  readonly entries: readonly TimedEntry[];
}

function readRecordFile(path: string): RecordFile {
  const corrupt = (problem: string) =>
    new RollcallError("corrupt", `${path} is damaged (${problem}) and was left as it is.`, {
      facts: { path },
    });
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw corrupt("not valid JSON");
  }
  if (!isJsonObject(file)) throw corrupt("no JSON object");
  const row = rowOf(file);
  if (!row || !isSessionId(row.id) || basename(path) !== `${row.id}.json`)
    throw corrupt("no record of that session");
  return { row, entries: entriesOf(file, row.createdAt) };
}

/** Also reads the files of other runtimes that keep only the fields of the first half. */
function rowOf(file: JsonObject): SessionRow | undefined {
  const createdAt = timeOf(file.createdAt) ?? timeOf(file.startTime);
  if (createdAt === undefined) return undefined;
  // In our own files `endTime` is that of the work, which may be over before the process is.
  const endedAt = timeOf(file.endedAt === undefined ? file.endTime : file.endedAt) ?? null;
  const fields = Object.fromEntries(
    ROW_FIELDS.filter((name) => file[name] !== undefined).map((name) => [name, file[name]]),
  );
  return readRow({
    ...DEFAULT_IDENTITY,
    origin: "created",
    process: null,
    state: endedAt === null ? "unknown" : "stopped",
    stateSince: endedAt ?? createdAt,
    stateSource: "declared",
    ...NOTHING_HAPPENED,
    startedAt: createdAt,
    lastActiveAt: endedAt ?? createdAt,
    ...fields,
    createdAt,
    endedAt,
    hasFile: true,
    turns: 0,
    totals: totalsOf(file),
  });
}

const ROW_FIELDS = [
  ...Object.keys(DEFAULT_IDENTITY),
  "id",
  "origin",
  "process",
  "state",
  "stateSince",
  "stateSource",
  "waiting",
  "phase",
  "history",
  "outcome",
  "endReason",
  "exitCode",
  "exitSignal",
  "summary",
  "generation",
  "startedAt",
  "finalizedAt",
  "lastActiveAt",
  "lastInputAt",
  "resumeReady",
  "resumeCount",
  "errorCount",
  "lastError",
];

/** The ledger is lost with the store; its sums are not. */
function totalsOf(file: JsonObject): DeclaredTotals | null {
  if (isJsonObject(file.usage) && file.usage.tokensTotal !== null) return pickTotals(file.usage);
  if (!isJsonObject(file.tokenUsage) || file.usage !== undefined) return null;
  return {
    ...NO_TOTALS,
    tokensInput: numberOf(file.tokenUsage.input),
    tokensOutput: numberOf(file.tokenUsage.output),
  };
}

function pickTotals(usage: JsonObject): DeclaredTotals {
  const names = Object.keys(NO_TOTALS) as (keyof DeclaredTotals)[];
  return Object.fromEntries(names.map((name) => [name, numberOf(usage[name])])) as unknown as DeclaredTotals;
}

function entriesOf(file: JsonObject, fallback: Instant): TimedEntry[] {
  const messages = listOf(file.messages).map(toTextEntry);
  const calls = listOf(file.toolCalls).map(toCallEntry);
  const places = listOf(file.order) as unknown as Place[];
  if (places.length !== messages.length + calls.length) {
    const timed = calls.map((entry, index) => ({
      at: timeOf(listOf(file.toolCalls)[index]?.timestamp) ?? fallback,
      entry,
    }));
    return [...messages.map((entry) => ({ at: fallback, entry })), ...timed];
  }
  const next = { messages: messages.values(), toolCalls: calls.values() };
  return places.flatMap((place) => {
    const entry = next[place.list]?.next().value;
    const kind = kindOf(place.kind, entry?.kind);
    return entry ? [{ at: timeOf(place.at) ?? fallback, entry: { ...entry, kind } }] : [];
  });
}

function toTextEntry(message: JsonObject): NewEntry {
  return {
    role: ENTRY_ROLES.find((role) => role === message.role) ?? "assistant",
    kind: "text",
    text: typeof message.content === "string" ? message.content : JSON.stringify(message.content ?? ""),
    tool: isJsonObject(message.tool) ? (message.tool as unknown as Entry["tool"]) : null,
    ...(typeof message.name === "string" ? { name: message.name } : {}),
    ...(Array.isArray(message.toolCalls) ? { toolCalls: message.toolCalls as readonly JsonObject[] } : {}),
  };
}

function toCallEntry(call: JsonObject): NewEntry {
  const { name, params = null, result = null, governanceResult = null } = call;
  const tool = { name: typeof name === "string" ? name : "", params, result, governanceResult };
  return { role: "assistant", kind: "tool_call", text: null, tool };
}

function kindOf(kind: unknown, otherwise: EntryKind | undefined): EntryKind {
  return ENTRY_KINDS.find((known) => known === kind) ?? otherwise ?? "text";
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function timeOf(value: unknown): Instant | undefined {
  return typeof value === "string" ? parseInstant(value) : undefined;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
