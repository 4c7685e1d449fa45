// A second counter, written from the rules alone and slow on purpose: it says whether the generated files and their truth
// agree. No code of an importer is used here.
import { type HistoryFile, type HistoryTree, type Sums, textOfFile } from "./truth.ts";

type Line = Readonly<Record<string, unknown>>;
interface Counted {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** The sums of each session, by its own name, as the files alone say them. */
export function countTree({ files }: HistoryTree): Map<string, Sums> {
  const transcripts = files.filter(({ path, agent }) => agent === "claude" && path.endsWith(".jsonl"));
  return new Map([
    ...countClaude(transcripts),
    ...countCodex(files.filter(({ agent }) => agent === "codex")),
  ]);
}

function countClaude(files: readonly HistoryFile[]): Map<string, Sums> {
  const transcripts = files
    .map((file) => ({ name: nameOf(file), lines: linesOf(file) }))
    .map((transcript) => ({ ...transcript, keys: new Set(transcript.lines.map(({ uuid }) => uuid)) }));
  const others = (one: (typeof transcripts)[number]) => transcripts.filter((other) => other !== one);
  /** Whether all that both have was copied from the first into the second. */
  const isOlder = (a: (typeof transcripts)[number], b: (typeof transcripts)[number]) =>
    firstOwn(a.lines, b.keys) < firstOwn(b.lines, a.keys);
  const found = new Map<string, Map<string, Counted>>(transcripts.map(({ name }) => [name, new Map()]));
  for (const transcript of transcripts)
    for (const line of transcript.lines) {
      const key = requestKey(line);
      if (key === undefined) continue;
      const copies = others(transcript).filter((other) => other.lines.some((copy) => isCopy(copy, line)));
      const isMain = line.isSidechain !== true;
      if (copies.some((other) => isMain === isMainIn(other.lines, line) && isOlder(other, transcript)))
        continue;
      if (!isMain && transcripts.some((other) => isMainIn(other.lines, line))) continue;
      const counted = claudeCounts(line);
      const earlier = found.get(transcript.name)?.get(key);
      const greatest = [...transcripts.flatMap(({ lines }) => lines)]
        .filter((copy) => isCopy(copy, line))
        .map(claudeCounts)
        .reduce((most, copy) => (copy.output > most.output ? copy : most), earlier ?? counted);
      found.get(transcript.name)?.set(key, greatest);
    }
  return new Map([...found].map(([name, requests]) => [name, sums([...requests.values()])]));
}

function isMainIn(lines: readonly Line[], line: Line): boolean {
  return lines.some((copy) => isCopy(copy, line, true) && copy.isSidechain !== true);
}

/** A copy of the same block of the same request; one of a side chain has another `requestId`. */
function isCopy(copy: Line, line: Line, isAnyRequest = false): boolean {
  const [a, b] = [messageOf(copy), messageOf(line)];
  if (copy.type !== "assistant" || line.type !== "assistant") return false;
  if (a.id !== undefined || b.id !== undefined)
    return a.id === b.id && (isAnyRequest || copy.requestId === line.requestId);
  return copy.requestId === undefined ? copy.uuid === line.uuid : copy.requestId === line.requestId;
}

/** The time of the first line that the other does not have; nothing of its own comes before everything. */
function firstOwn(lines: readonly Line[], others: ReadonlySet<unknown>): number {
  const own = lines.filter(({ uuid, timestamp }) => timestamp !== undefined && (!uuid || !others.has(uuid)));
  return own.length === 0 ? 0 : Math.min(...own.map(({ timestamp }) => Date.parse(String(timestamp))));
}

function requestKey(line: Line): string | undefined {
  const { id, model, usage } = messageOf(line);
  if (line.type !== "assistant" || model === "<synthetic>" || usage === undefined) return undefined;
  return id === undefined && line.requestId === undefined ? String(line.uuid) : `${id} ${line.requestId}`;
}

function claudeCounts(line: Line): Counted {
  const usage = messageOf(line).usage as Record<string, number> & {
    cache_creation?: Record<string, number>;
    output_tokens_details?: Record<string, number>;
  };
  const kinds = Object.values(usage.cache_creation ?? {}).reduce((sum, count) => sum + count, 0);
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: Math.max(usage.cache_creation_input_tokens ?? 0, kinds),
    reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}

function messageOf({ message }: Line): { id?: string; model?: string; usage?: unknown } {
  return (message ?? {}) as { id?: string; model?: string; usage?: unknown };
}

interface Rollout {
  readonly id: string;
  readonly origin: string | undefined;
  readonly lines: readonly Line[];
}

function countCodex(files: readonly HistoryFile[]): Map<string, Sums> {
  const rollouts = new Map<string, Rollout>();
  for (const place of [/^sessions\/.*jsonl$/u, /^archived_sessions\/.*jsonl$/u, /zst$/u])
    for (const file of files.filter(({ path }) => place.test(path))) {
      const lines = linesOf(file);
      const meta = payloadOf(lines[0] ?? {});
      const origin = (meta.forked_from_id ?? meta.parent_thread_id) as string | undefined;
      const id = String(meta.id);
      if (!rollouts.has(id)) rollouts.set(id, { id, origin, lines });
    }
  return new Map([...rollouts.values()].map((one) => [one.id, countRollout(one, rollouts)]));
}

function countRollout({ origin, lines }: Rollout, rollouts: ReadonlyMap<string, Rollout>): Sums {
  const parent = rollouts.get(origin ?? "")?.lines ?? [];
  const turns = new Set(parent.map((line) => payloadOf(line).turn_id).filter(Boolean));
  const requests: Counted[] = [];
  const records = new Set(
    lines.filter(({ type }) => type === "token_usage_record").map((line) => totalKey(line)),
  );
  let [isCopied, previous] = [turns.size > 0, undefined as Counted | undefined];
  for (const line of lines) {
    const payload = payloadOf(line);
    if (payload.turn_id !== undefined && !turns.has(payload.turn_id)) isCopied = false;
    const info = payload.type === "token_count" ? (payload.info as Line | null) : undefined;
    const usage = line.type === "token_usage_record" ? (payload.usage as Line) : undefined;
    if (usage !== undefined && !isCopied) requests.push(codexCounts(usage));
    if (info === undefined || info === null) continue;
    const total = codexCounts(info.total_token_usage as Line);
    const isNew = JSON.stringify(total) !== JSON.stringify(previous);
    const last = info.last_token_usage as Line | undefined;
    if (isNew && !isCopied && !records.has(JSON.stringify(total)))
      requests.push(last === undefined ? difference(total, previous) : codexCounts(last));
    previous = total;
  }
  return sums(requests.filter((counted) => Object.values(counted).some((count) => count > 0)));
}

function totalKey(line: Line): string {
  return JSON.stringify(codexCounts(payloadOf(line).thread_token_usage as Line));
}

function difference(total: Counted, previous: Counted | undefined): Counted {
  const size = (counted: Counted) => counted.input + counted.cacheRead + counted.cacheWrite + counted.output;
  if (previous === undefined || size(total) < size(previous)) return total;
  const minus = (name: keyof Counted) => total[name] - previous[name];
  return {
    input: minus("input"),
    output: minus("output"),
    cacheRead: minus("cacheRead"),
    cacheWrite: minus("cacheWrite"),
    reasoning: minus("reasoning"),
  };
}

function codexCounts(usage: Line): Counted {
  const of = (name: string) => Number(usage[name] ?? 0);
  const [cacheRead, cacheWrite] = [of("cached_input_tokens"), of("cache_write_input_tokens")];
  return {
    input: of("input_tokens") - cacheRead - cacheWrite,
    output: of("output_tokens"),
    cacheRead,
    cacheWrite,
    reasoning: of("reasoning_output_tokens"),
  };
}

function payloadOf({ payload }: Line): Line {
  return (payload ?? {}) as Line;
}

function sums(requests: readonly Counted[]): Sums {
  const sum = (name: keyof Counted) => requests.reduce((total, counted) => total + counted[name], 0);
  return {
    requests: requests.length,
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
    reasoning: sum("reasoning"),
  };
}

function nameOf({ path }: HistoryFile): string {
  return /([^/]+)\.jsonl$/u.exec(path)?.[1] ?? path;
}

/** Whole lines alone; what is no object is no record. */
function linesOf(file: HistoryFile): Line[] {
  const whole = textOfFile(file).split("\n").slice(0, -1);
  return whole.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "object" && value !== null && !Array.isArray(value) ? [value as Line] : [];
    } catch {
      return [];
    }
  });
}
