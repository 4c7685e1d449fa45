import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Entry } from "../domain/entry.ts";
import { RollcallError } from "../domain/errors.ts";
import { checkSessionId } from "../domain/id.ts";
import type { SessionRecord } from "../domain/session.ts";
import type { Usage } from "../domain/usage.ts";
import type { Store } from "../store/store.ts";
import { randomBytes } from "./random.ts";
import { isSharedFolder } from "./workspace.ts";

/** A message as record files and the class `Session` show it. */
export interface Message {
  readonly role: string;
  readonly content: string;
  readonly toolCalls?: readonly unknown[];
  readonly name?: string;
}

export interface ToolCall {
  readonly timestamp: string;
  readonly name: string;
  readonly params: unknown;
  readonly result: unknown;
  readonly governanceResult: unknown;
}

/** Where each entry stands among `messages` and `toolCalls`, so that a rebuilt transcript has its old order. */
export interface Place {
  readonly seq: number;
  readonly at: string;
  readonly list: "messages" | "toolCalls";
  readonly kind: Entry["kind"];
}

/** What a file shows, and how new that is. */
export interface FileContent {
  readonly record: SessionRecord;
  readonly version: number;
}

const PAGE = 500;

export function recordFilePath(workspace: string, sessionId: string): string {
  return join(sessionsFolder(workspace), `${checkSessionId(sessionId)}.json`);
}

export function sessionsFolder(workspace: string): string {
  return join(workspace, ".rollcall", "sessions");
}

/**
 * Writes the file of a session as it stands in the store and returns its size. Goes only forward: where a newer one
 * is out already, nothing happens. Throws where it cannot be written.
 */
export async function writeRecordFile(store: Store, { record, version }: FileContent): Promise<number> {
  const workspace = record.workspacePath;
  if (workspace === null) return 0;
  prepareFolder(workspace);
  const path = recordFilePath(workspace, record.id);
  // Never shared: others may write the same file at the same time, in this process too.
  const partial = `${path}.partial-${process.pid}-${randomBytes(6).toString("hex")}`;
  try {
    const bytes = await writeText(partial, fileText(store, record));
    await store.publishFile(record.id, version, () => renameSync(partial, path));
    return bytes;
  } finally {
    rmSync(partial, { force: true });
  }
}

export function removeRecordFile(workspace: string, sessionId: string): void {
  rmSync(recordFilePath(workspace, sessionId), { force: true });
}

/** What a writer left that was killed before it could give the file its name. */
export function removePartials(workspace: string, sessionId: string): void {
  const folder = sessionsFolder(workspace);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(`${sessionId}.json.partial-`) ? Number(name.split("-").at(-2)) : 0;
    if (pid > 0 && !existsSync(`/proc/${pid}`)) rmSync(join(folder, name), { force: true });
  }
}

export function tokenUsageOf(usage: Usage): { input: number; output: number; total: number } {
  const input = (usage.tokensInput ?? 0) + (usage.tokensCacheRead ?? 0) + (usage.tokensCacheWrite ?? 0);
  const output = usage.tokensOutput ?? 0;
  return { input, output, total: input + output };
}

export function toMessage(entry: Entry): Message {
  return {
    role: entry.role,
    content: entry.text ?? "",
    ...(entry.toolCalls === undefined ? {} : { toolCalls: entry.toolCalls }),
    ...(entry.name === undefined ? {} : { name: entry.name }),
    ...(entry.tool === null ? {} : { tool: entry.tool }),
  };
}

export function toToolCall({ at, tool }: Entry): ToolCall {
  return {
    timestamp: at,
    name: tool?.name ?? "",
    params: tool?.params ?? null,
    result: tool?.result ?? null,
    governanceResult: tool?.governanceResult ?? null,
  };
}

/** Why a workspace can hold no record files: one that is gone is not made anew, and shared folders stay clean. */
export function whyNoFile(workspace: string): string | undefined {
  const no = `No record file can be kept in ${workspace}`;
  if (isSharedFolder(workspace)) return `${no}: it is no project of its own.`;
  try {
    if (!statSync(workspace).isDirectory()) return `${no}: it is not a folder.`;
    accessSync(workspace, constants.W_OK);
    return undefined;
  } catch {
    return `${no}: it cannot be written.`;
  }
}

function prepareFolder(workspace: string): void {
  const why = whyNoFile(workspace);
  if (why !== undefined) throw new RollcallError("bad_input", why);
  mkdirSync(sessionsFolder(workspace), { recursive: true, mode: 0o700 });
  const ignore = join(workspace, ".rollcall", ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
}

/** The file piece by piece: a transcript of any length is never held as a whole. */
async function* fileText(store: Store, record: SessionRecord): AsyncIterable<string> {
  const { id, role, model, chainId, taskId, outcome, ...rest } = record;
  const head = {
    id,
    role,
    model,
    chainId,
    taskId,
    startTime: record.startedAt ?? record.createdAt,
    endTime: record.finalizedAt ?? record.endedAt,
    outcome,
    tokenUsage: tokenUsageOf(record.usage),
  };
  yield indent(head).slice(0, -2);
  yield* list("messages", store, record, (entry) => (isToolCall(entry) ? undefined : toMessage(entry)));
  yield* list("toolCalls", store, record, (entry) => (isToolCall(entry) ? toToolCall(entry) : undefined));
  yield* list("order", store, record, toPlace);
  yield `,${indent(rest).slice(1)}\n`;
}

async function* list<T>(
  name: string,
  store: Store,
  record: SessionRecord,
  pick: (entry: Entry) => T | undefined,
): AsyncIterable<string> {
  yield `,\n  "${name}": [`;
  let separator = "";
  for await (const entry of entriesUpTo(store, record)) {
    const item = pick(entry);
    if (item === undefined) continue;
    yield `${separator}\n    ${name === "order" ? JSON.stringify(item) : indent(item).replaceAll("\n", "\n    ")}`;
    separator = ",";
  }
  yield separator === "" ? "]" : "\n  ]";
}

/** Entries never change, so all passes over them see the same ones. */
async function* entriesUpTo(store: Store, { id, seq }: SessionRecord): AsyncIterable<Entry> {
  let after = 0;
  for (;;) {
    const page = await store.entries(id, { after, before: seq + 1, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.seq;
  }
}

function isToolCall(entry: Entry): boolean {
  return entry.kind === "tool_call";
}

function toPlace(entry: Entry): Place {
  return {
    seq: entry.seq,
    at: entry.at,
    list: isToolCall(entry) ? "toolCalls" : "messages",
    kind: entry.kind,
  };
}

async function writeText(path: string, text: AsyncIterable<string>): Promise<number> {
  const fd = openSync(path, "w", 0o600);
  let bytes = 0;
  let buffered = "";
  const flush = () => {
    const chunk = Buffer.from(buffered);
    // A full disk may take a part of it without an error.
    for (let written = 0; written < chunk.length; ) written += writeSync(fd, chunk, written);
    bytes += chunk.length;
    buffered = "";
  };
  try {
    for await (const piece of text) {
      buffered += piece;
      if (buffered.length > 65_536) flush();
    }
    flush();
    return bytes;
  } finally {
    closeSync(fd);
  }
}

function indent(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
