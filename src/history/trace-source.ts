import type { History, HistoryFacts } from "../agents/history.ts";
import { type JsonObject, readJsonObject } from "../domain/json.ts";
import { shortFacts } from "../domain/short-value.ts";
import { readForeignText } from "../machine/foreign-file.ts";
import type { TracedFile } from "./lineage/lineage.ts";
import type { Source } from "./sources.ts";

/** So many records at the beginning are looked at for facts of the session. */
const HEAD_RECORDS = 100;
const MOST_NOTE_BYTES = 64 * 1024;

/** The beginning of a history: whose it is, and its first record that could be a copy. */
export interface SourceHead {
  readonly facts: HistoryFacts;
  /** Keys of records that a copy may begin with, that of its first record before all others. */
  readonly roots: readonly string[];
  readonly isEmpty: boolean;
}

const NO_HEAD: SourceHead = { facts: {}, roots: [], isEmpty: true };

/** Reads the beginning, which may have the description of an origin behind its own. */
export async function readHead({ reader, path, history }: Source): Promise<SourceHead> {
  using opened = reader.open(path);
  if (!opened) return NO_HEAD;
  let facts: HistoryFacts = {};
  let roots: readonly string[] = [];
  let read = 0;
  for await (const records of opened.records(0))
    for (const stored of records) {
      const record = stored.read();
      facts = withFacts(facts, record ? shortFacts(history.describe(record)) : {});
      const { key, isWeak } = record && roots.length === 0 ? history.trace(record) : {};
      if (key !== undefined && isWeak !== true) roots = [key];
      read += 1;
      if (read === HEAD_RECORDS || (roots.length > 0 && facts.cwd !== undefined))
        return { facts, roots, isEmpty: false };
    }
  return { facts, roots, isEmpty: read === 0 };
}

/** Adds what stands beside the history of a sub-agent. */
export function withNote({ facts, ...head }: SourceHead, { agent, path }: Source): SourceHead {
  const sidecar = agent.subagents?.sidecar;
  const note = sidecar && readNote(sidecar.pathOf(path));
  if (!sidecar || !note) return { facts, ...head };
  const { agentName, purpose, parentNativeId: parent } = sidecar.parse(note);
  const known = shortFacts({ agentName, purpose, parent });
  const told = Object.entries(known).filter(([, value]) => value !== undefined);
  return { ...head, facts: { ...facts, ...Object.fromEntries(told) } };
}

/** Adds the folder that stands beside the history. */
export function withFolder({ facts, ...head }: SourceHead, { history, path }: Source): SourceHead {
  const cwd = facts.cwd ?? notedFolder(history, path);
  return { ...head, facts: cwd === undefined ? facts : { ...facts, cwd } };
}

/** The folder of the conversation in this file, where its agent names it beside the file. */
export function notedFolder(
  history: Pick<History, "folderNoteOf"> | undefined,
  path: string,
): string | undefined {
  const note = history?.folderNoteOf?.(path);
  const folder = note === undefined ? undefined : readText(note)?.trim();
  return folder?.startsWith("/") ? folder : undefined;
}

function readNote(path: string): JsonObject | undefined {
  const text = readText(path);
  return text === undefined ? undefined : readJsonObject(text);
}

function readText(path: string): string | undefined {
  try {
    return readForeignText(path, MOST_NOTE_BYTES);
  } catch {
    return undefined;
  }
}

/** The first word on each fact counts. What is said of another session is none. */
function withFacts(facts: HistoryFacts, more: HistoryFacts): HistoryFacts {
  const isOther = (facts.nativeId ?? more.nativeId) !== (more.nativeId ?? facts.nativeId);
  return isOther ? facts : { ...more, ...facts };
}

/** Reads all records of a history for what tells an origin from its copies. */
export async function traceSource(
  { reader, path, source, history, place }: Source,
  {
    nativeId,
    facts,
    parent,
  }: { readonly nativeId: string; readonly facts: HistoryFacts; readonly parent: string | null },
): Promise<TracedFile> {
  const records: TracedFile["records"][number][] = [];
  using opened = reader.open(path);
  if (opened)
    for await (const batch of opened.records(0))
      for (const { offset, read } of batch) {
        const record = read();
        if (record) records.push({ ...history.trace(record), offset });
      }
  return {
    source,
    nativeId,
    records,
    origin: parent ?? facts.forkedFrom,
    isHelper: parent !== null,
    ownOrdinal: facts.ownOrdinal,
    file: place.file,
    base: facts.base,
  };
}
