import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { checkSessionId } from "../../domain/session/id.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import type { Entry } from "../../domain/transcript/entry.ts";
import type { Usage } from "../../domain/usage.ts";
import { partialPath, removePartials } from "../../machine/partial-file.ts";
import type { Store } from "../../store/store.ts";
import { findSessionsFolder, makeSessionsFolder, sessionsFolder } from "./record-folder.ts";

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

/** The content of a file, and how new that is. */
export interface FileContent {
  readonly record: SessionRecord;
  readonly version: number;
}

/** Entries of a plain command may have 64 KB each, and many files may be written at the same time. */
const PAGE = 50;
const LEAST_ENTRY_BYTES = 100;

export function recordFilePath(workspace: string, sessionId: string): string {
  return join(sessionsFolder(workspace), fileName(sessionId));
}

function fileName(sessionId: string): string {
  return `${checkSessionId(sessionId)}.json`;
}

/** The file would be larger than its writer is ready to write. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";
}

/**
 * Writes the file of a session as it stands in the store and returns its size. Goes only forward: where a newer one
 * is out already, nothing happens. Throws where it cannot be written.
 */
export async function writeRecordFile(
  store: Store,
  { record, version }: FileContent,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<number> {
  const workspace = record.workspacePath;
  if (workspace === null) return 0;
  using folder = makeSessionsFolder(workspace);
  const name = fileName(record.id);
  // Never shared: others may write the same file at the same time, in this process too.
  const partial = partialPath(folder.at(name));
  try {
    const bytes = await writeText(partial, fileText(store, record), mostBytes);
    await store.publishFile(record.id, version, () => renameSync(partial, folder.at(name)));
    return bytes;
  } finally {
    rmSync(partial, { force: true });
  }
}

/** At least what the file of a session will take, known without writing it. */
export function recordFileBytes({ workspacePath, id, seq }: SessionRecord): number {
  const path = workspacePath === null ? undefined : recordFilePath(workspacePath, id);
  const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  // Where there is none yet: a session has little else than entries, each with its place and time.
  return found?.size ?? seq * LEAST_ENTRY_BYTES;
}

/** Behind a link nothing is ours to remove. */
export function removeRecordFile(workspace: string, sessionId: string): void {
  using folder = findSessionsFolder(workspace);
  if (folder) rmSync(folder.at(fileName(sessionId)), { force: true });
}

/** Removes what writers left that were killed before they could give a file its name. */
export function removePartialsOf(workspace: string): void {
  using folder = findSessionsFolder(workspace);
  if (folder) removePartials(folder.at("."));
}

/** As record files and the class `Session` show it: input with cache. Null is "not measured", never zero. */
export interface TokenUsage {
  input: number | null;
  output: number | null;
  total: number | null;
}

export function tokenUsageOf(usage: Usage): TokenUsage {
  const input = sumOf(usage.tokensInput, usage.tokensCacheRead, usage.tokensCacheWrite);
  return { input, output: usage.tokensOutput, total: sumOf(input, usage.tokensOutput) };
}

function sumOf(...counts: readonly (number | null)[]): number | null {
  const measured = counts.filter((count) => count !== null);
  return measured.length === 0 ? null : measured.reduce((sum, count) => sum + count, 0);
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
    const page = await store.entries(id, { after, before: seq + 1, limit: PAGE, withRewound: true });
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

async function writeText(path: string, text: AsyncIterable<string>, mostBytes: number): Promise<number> {
  const fd = openSync(path, "wx", 0o600);
  let bytes = 0;
  let buffered = "";
  const flush = () => {
    const chunk = Buffer.from(buffered);
    if (bytes + chunk.length > mostBytes) throw new FileTooLargeError();
    // A full disk may take a part of it without an error.
    for (let written = 0; written < chunk.length; ) written += writeSync(fd, chunk, written);
    bytes += chunk.length;
    buffered = "";
  };
  try {
    for await (const piece of text) {
      buffered += piece;
      if (buffered.length <= 65_536) continue;
      flush();
      // A large file must not keep everybody else waiting.
      await nextTurn();
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
