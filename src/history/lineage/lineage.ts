import type { HistoryBase, RecordTrace } from "../../agents/history.ts";
import type { Instant } from "../../domain/time.ts";

/** The records of one file, as far as they tell which of several files is the origin of the others. */
export interface TracedFile {
  readonly source: string;
  readonly nativeId: string;
  /** In the order of the file, each with the offset behind it. */
  readonly records: readonly (RecordTrace & { readonly offset: number })[];
  /** The native id of its origin, where the file itself says so. */
  readonly origin?: string | undefined;
  /** It belongs to a helper: what it has in common with its session is a copy, whatever its age. */
  readonly isHelper?: boolean;
  /** Records numbered below this one are copies. */
  readonly ownOrdinal?: number | undefined;
  /** The name by which others refer to a place in it, and the place that it refers to itself. */
  readonly file?: string | undefined;
  readonly base?: HistoryBase | undefined;
}

export interface Lineage {
  readonly source: string;
  /** Up to this offset the file repeats records of others; 0 where all is its own. */
  readonly copiedTo: number;
  /** The native id of the session that it continues; null where it continues none. */
  readonly forkedFrom: string | null;
  /** The records that it repeats stand in another file of the same session. */
  readonly isOwnCopy: boolean;
  /** When the first record of its own was written. */
  readonly ownSince: Instant | null;
}

/**
 * Decides which of several files with common records is the origin, and what in the others is a copy: the origins first,
 * whatever order the files are given in. Of two files, the one is older whose first record that the other does not have
 * is older. Records that are never copied are always its own. A file that has nothing of its own is contained in the
 * other one, which continues it, unless that has more from before its end.
 */
export function decideLineage(files: readonly TracedFile[]): Lineage[] {
  const ordered = orderByOrigin(files.map(withKeys));
  return ordered.map((file, index) => {
    const twins = ordered.filter((other) => other !== file && other.nativeId === file.nativeId);
    return lineageOf(file, { older: ordered.slice(0, index), twins });
  });
}

type Aged = Keyed & { readonly helpedSince: Instant | undefined };
type Keyed = TracedFile & { readonly keys: ReadonlySet<string>; readonly answers: ReadonlySet<string> };
/** All files of one session, and all that they hold. */
type Whole = Named & { readonly files: readonly Aged[] };
type Named = Pick<Keyed, "source" | "nativeId" | "keys">;

function orderByOrigin(all: readonly Keyed[]): Keyed[] {
  const files = withHelpers(all);
  const sessions = wholeSessions(files.filter(({ isHelper }) => isHelper !== true));
  const helpers = files.filter(({ isHelper }) => isHelper === true);
  const inOrder = byAge(sessions).flatMap((session) =>
    byAge(session.files.map((file) => ({ ...file, files: [file], file }))).map(({ file }) => file),
  );
  return originsFirst([...inOrder, ...helpers.sort(bySize)]);
}

/** A session may have several files: a short copy of it in another folder says nothing of its age. */
function wholeSessions(files: readonly Aged[]): Whole[] {
  return [...Map.groupBy(files, ({ nativeId }) => nativeId)].map(([nativeId, own]) => ({
    source: nativeId,
    nativeId,
    files: own,
    keys: new Set(own.flatMap(({ keys }) => [...keys])),
  }));
}

function byAge<T extends Whole>(sessions: readonly T[]): T[] {
  const elders = new Map(sessions.map((session) => [session, countElders(session, sessions)]));
  return [...sessions].sort((a, b) => (elders.get(a) ?? 0) - (elders.get(b) ?? 0) || bySize(a, b));
}

function bySize(a: Named, b: Named): number {
  return a.keys.size - b.keys.size || compare(a.nativeId, b.nativeId) || compare(a.source, b.source);
}

/** Adds when a helper of each file first answered: copies of a session come without its helpers. */
function withHelpers(files: readonly Keyed[]): Aged[] {
  const owners = new Map<string, Set<string>>();
  for (const { answers, nativeId } of files)
    for (const answer of answers) owners.set(answer, (owners.get(answer) ?? new Set()).add(nativeId));
  const isOwn = ({ answer }: RecordTrace) => answer !== undefined && owners.get(answer)?.size === 1;
  const since = new Map<string | undefined, RecordTrace[]>();
  for (const { isHelper, origin, records } of files)
    if (isHelper) since.set(origin, [...(since.get(origin) ?? []), ...records.filter(isOwn).slice(0, 1)]);
  return files.map((file) => ({ ...file, helpedSince: earliest(since.get(file.nativeId) ?? []) }));
}

function countElders(session: Whole, sessions: readonly Whole[]): number {
  return sessions.filter((other) => compare(ownSince(other, session), ownSince(session, other)) < 0).length;
}

/** When a session began to have what the other one has not; where it has nothing of its own, when it ended. */
function ownSince({ files }: Whole, other: Whole): string {
  const began = files.map((file) => beganApart(file, other));
  const own = earliest(began.flatMap((one) => one.own));
  return own ?? latest(began.map(({ end }) => end));
}

function beganApart(
  { records, helpedSince }: Aged,
  { keys }: Whole,
): { readonly own: RecordTrace[]; readonly end: string } {
  const isCommon = ({ key }: RecordTrace) => key !== undefined && keys.has(key);
  const lastCommon = records.findLastIndex(isCommon);
  let before: RecordTrace = {};
  // A record that is never copied was written between those around it, also where it has no time itself.
  const own = records.flatMap((record, index) => {
    if (isCommon(record)) before = record;
    else if (record.at !== undefined) return [record];
    else if (index < lastCommon && before.at !== undefined) return [before];
    return [];
  });
  const helped = own.length === 0 || helpedSince === undefined ? [] : [{ at: helpedSince }];
  return { own: [...own, ...helped], end: before.at ?? "" };
}

function latest(times: readonly string[]): string {
  return times.reduce((last, time) => (time > last ? time : last), "");
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Moves each file behind all files of the origin that it names itself. */
function originsFirst(files: readonly Keyed[]): Keyed[] {
  const placed = new Set<Keyed>();
  const place = (file: Keyed, line: readonly string[]) => {
    if (placed.has(file) || line.includes(file.nativeId)) return;
    for (const origin of files) if (origin.nativeId === file.origin) place(origin, [...line, file.nativeId]);
    placed.add(file);
  };
  for (const file of files) place(file, []);
  return [...placed];
}

interface CopiedRun {
  readonly to: number;
  readonly repeatedTo: number;
  readonly keys: readonly string[];
}

interface Relatives {
  readonly older: readonly Keyed[];
  /** The other files of the same session. */
  readonly twins: readonly Keyed[];
}

function lineageOf(file: Keyed, { older, twins }: Relatives): Lineage {
  const isNamed = older.some(({ nativeId }) => nativeId === file.origin);
  const origins = isNamed
    ? older.filter(({ nativeId }) => nativeId === file.origin || nativeId === file.nativeId)
    : older;
  const copied = copiedRun(file, origins, twins);
  const own = file.records.filter(({ offset, key }) => offset > copied.to || key === undefined);
  let nearest: { readonly nativeId: string; readonly count: number } | undefined;
  for (const { nativeId, keys } of origins) {
    const count = copied.keys.filter((key) => keys.has(key)).length;
    if (count > (nearest?.count ?? 0)) nearest = { nativeId, count };
  }
  return {
    source: file.source,
    copiedTo: copied.to,
    forkedFrom: file.origin ?? nearest?.nativeId ?? null,
    isOwnCopy: endsInOwn(file, copied, origins),
    ownSince: earliest(own) ?? earliest(file.records) ?? null,
  };
}

/** The last of the copies is no other session's: a turn goes on behind it. */
function endsInOwn(
  { nativeId }: Keyed,
  { keys, to, repeatedTo }: CopiedRun,
  origins: readonly Keyed[],
): boolean {
  const last = keys.at(-1);
  const holders = last === undefined ? [] : origins.filter((origin) => origin.keys.has(last));
  return to > repeatedTo && holders.length > 0 && holders.every((holder) => holder.nativeId === nativeId);
}

/** Copies stand together, before the first record of the file's own that could be copied itself. */
function copiedRun(file: Keyed, origins: readonly Keyed[], twins: readonly Keyed[]): CopiedRun {
  const { records, ownOrdinal = 0, isHelper } = file;
  const related = origins.filter((origin) => isRelated(file, origin));
  const copied: string[] = [];
  const others = origins.filter(({ nativeId }) => nativeId !== file.nativeId);
  const repeatedTo = isHelper ? repeatedAnswersTo(records, others) : 0;
  // Another file of the helper may go on, and so tell that a text at the end of this one is repeated too.
  const repeated = isHelper ? new Set(twins.flatMap((twin) => repeatedKeys(twin, others))) : new Set();
  let to = 0;
  for (const { key, isWeak, ordinal, offset } of records) {
    const isNumbered = ordinal !== undefined && ordinal < ownOrdinal;
    const known = isWeak === true ? related : origins;
    const isRepeated = offset <= repeatedTo || repeated.has(key);
    const isKnown = key !== undefined && (isRepeated || known.some(({ keys }) => keys.has(key)));
    if (isNumbered || isKnown) to = offset;
    else if (key !== undefined) break;
    if (isKnown) copied.push(key);
  }
  return { to, repeatedTo, keys: copied };
}

/** It names the origin, or has a record that no other file has by chance. */
function isRelated({ records, origin, nativeId }: Keyed, other: Keyed): boolean {
  if (other.nativeId === origin || other.nativeId === nativeId) return true;
  return records.some(({ key, isWeak }) => key !== undefined && isWeak !== true && other.keys.has(key));
}

/** The end of the answers that a helper repeats, before its first own one. All else of a copy may have names of its own. */
function repeatedAnswersTo(records: Keyed["records"], origins: readonly Keyed[]): number {
  let to = 0;
  for (const { answer, offset } of records) {
    if (answer === undefined) continue;
    if (!origins.some(({ answers }) => answers.has(answer))) break;
    to = offset;
  }
  return to;
}

function repeatedKeys({ records }: Keyed, origins: readonly Keyed[]): string[] {
  const to = repeatedAnswersTo(records, origins);
  return records.flatMap(({ key, offset }) => (key !== undefined && offset <= to ? [key] : []));
}

function withKeys(file: TracedFile): Keyed {
  const valuesOf = (name: "key" | "answer") =>
    new Set(file.records.flatMap(({ [name]: value }) => (value === undefined ? [] : [value])));
  return { ...file, keys: valuesOf("key"), answers: valuesOf("answer") };
}

function earliest(records: readonly RecordTrace[]): Instant | undefined {
  let first: Instant | undefined;
  for (const { at } of records) if (at !== undefined && (first === undefined || at < first)) first = at;
  return first;
}
