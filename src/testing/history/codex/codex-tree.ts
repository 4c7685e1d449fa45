import type { AgentTree } from "../claude/claude-tree.ts";
import type { HistoryFile, RequestTruth, SessionTruth } from "../truth.ts";
import type { World } from "../world.ts";
import { writeInherited } from "./count.ts";
import { CodexThread, type Row, STYLES, ZERO } from "./thread.ts";
import { writeTurn } from "./turn.ts";

/** How the time of copied lines is written: all within a second, over seconds, or as it was. */
const TIMES = ["one second", "spread", "kept"] as const;

/** A folder of rollouts in the order in which they began, and what is true of them. */
export function generateCodex(world: World): AgentTree {
  const threads: CodexThread[] = [];
  for (let index = 1 + world.random.int(2); index > 0; index--) threads.push(writeRoot(world));
  for (let index = world.random.int(4); index > 0; index--) {
    const origins = threads.filter(({ style }) => style !== "ancient");
    if (origins.length > 0) threads.push(writeChild(world.random.pick(origins)));
    if (world.random.chance(0.3)) writeTurn(world.random.pick(threads));
  }
  const kept = dropParent(world, threads);
  return { files: kept.flatMap((thread) => filesOf(thread)), sessions: truthOf(kept) };
}

function writeRoot(world: World): CodexThread {
  const style = world.random.pick([...STYLES, "counters", "counters"] as const);
  world.traps.add(`codex: style ${style}`);
  const isPaginated =
    style === "records" || style === "upgraded" || (style !== "ancient" && world.random.chance(0.3));
  const thread = new CodexThread(world, { style, isPaginated });
  thread.hasTotalTokens = style !== "ancient" || !world.lay("codex: no total_tokens (C6)", 0.7);
  thread.add("session_meta", metaOf(thread));
  writeTurns(thread);
  return thread;
}

function writeTurns(thread: CodexThread): void {
  const { world } = thread;
  for (let index = 1 + world.random.int(3); index > 0; index--) {
    if (index > 1 && world.lay("codex: resumed after days", 0.15)) world.pass(1 + world.random.int(100));
    writeTurn(thread);
  }
}

/** A fork or a sub-agent. One that is paginated refers to the history of its parent, the other copies it. */
function writeChild(origin: CodexThread): CodexThread {
  const { world, style, isPaginated } = origin;
  world.pass(1);
  const isSubAgent = world.lay("codex: sub-agent", 0.5);
  world.traps.add(isSubAgent ? "codex: sub-agent" : "codex: fork");
  if (origin.origin !== null) world.traps.add("codex: child of a child");
  const thread = new CodexThread(world, { style, isPaginated, origin, isSubAgent });
  thread.isUpgraded = origin.isUpgraded;
  const copied = isPaginated ? [] : copiedRows(origin);
  if (isPaginated) world.traps.add("codex: paginated child (C4)");
  thread.firstOrdinal = isPaginated ? origin.firstOrdinal + origin.rows.length : 0;
  thread.add("session_meta", metaOf(thread));
  if (world.lay("codex: two session_meta", 0.4)) thread.add("session_meta", metaOf(origin));
  thread.rows.push(...copied);
  thread.total = isPaginated ? origin.total : totalAfter(copied, origin);
  thread.last = ZERO;
  writeInherited(thread);
  writeTurns(thread);
  return thread;
}

/** The history of the parent up to the end of a turn. */
function copiedRows(origin: CodexThread): Row[] {
  const { world } = origin;
  const own = origin.rows.filter(({ type }) => type !== "session_meta");
  const ends = own.flatMap(({ turn }, index) => (turn !== undefined && index > 0 ? [index] : []));
  const isBeginning = ends.length > 0 && world.lay("codex: child of the beginning (C2)", 0.3);
  const rows = isBeginning ? own.slice(0, world.random.pick(ends)) : own;
  const times = world.random.pick(TIMES);
  world.traps.add(`codex: copied history, time ${times} (C2)`);
  const second = world.now;
  return rows.map((row) => {
    if (times === "kept") return row;
    return { ...row, at: times === "spread" ? world.tick(3000) : new Date(second).toISOString() };
  });
}

function totalAfter(rows: readonly Row[], { style }: CodexThread): CodexThread["total"] {
  const count = rows.findLast(({ payload }) => payload.type === "token_count" && payload.info !== null);
  if (count === undefined || style === "ancient") return ZERO;
  const { total_token_usage: total } = count.payload.info as { total_token_usage: Record<string, number> };
  return {
    input: total.input_tokens ?? 0,
    cached: total.cached_input_tokens ?? 0,
    written: total.cache_write_input_tokens ?? 0,
    output: total.output_tokens ?? 0,
    reasoning: total.reasoning_output_tokens ?? 0,
  };
}

function metaOf(thread: CodexThread): Record<string, unknown> {
  const { id, origin, isSubAgent, isPaginated } = thread;
  const spawn = { parent_thread_id: origin?.id, depth: 1, agent_nickname: "Ada", agent_role: "worker" };
  const forkMeta = { forked_from_id: origin?.id };
  const childMeta = {
    parent_thread_id: origin?.id,
    thread_source: "subagent",
    ...(isPaginated ? { subagent_history_start_ordinal: thread.firstOrdinal } : {}),
  };
  return {
    session_id: id,
    id,
    ...(origin === null ? {} : isSubAgent ? childMeta : forkMeta),
    timestamp: new Date(thread.startedAt).toISOString(),
    cwd: "/work/project",
    originator: "codex_cli_rs",
    cli_version: "0.166.0",
    source: isSubAgent ? { subagent: { thread_spawn: spawn } } : "cli",
    model_provider: "openai",
    history_mode: isPaginated ? "paginated" : "legacy",
    ...(isPaginated && origin !== null
      ? { history_base: { thread_id: origin.id, end_ordinal_exclusive: thread.firstOrdinal } }
      : {}),
  };
}

/** Only where the rest of the tree still says what belongs to whom. */
function dropParent(world: World, threads: readonly CodexThread[]): readonly CodexThread[] {
  const childrenOf = (thread: CodexThread) => threads.filter(({ origin }) => origin === thread);
  const parent = threads.find((thread) => {
    const children = childrenOf(thread).length;
    return thread.origin === null && (thread.isPaginated ? children > 0 : children === 1);
  });
  if (parent === undefined || !world.lay("codex: parent is missing (C2)", 0.3)) return threads;
  return threads.filter((thread) => thread !== parent);
}

function truthOf(threads: readonly CodexThread[]): SessionTruth[] {
  const owners = new Map<RequestTruth | string, CodexThread>();
  for (const thread of threads)
    for (const { request, turn } of thread.rows)
      for (const owned of [request, turn])
        if (owned !== undefined && !owners.has(owned)) owners.set(owned, thread);
  return threads.map((thread) => {
    const owned = [...owners].filter(([, owner]) => owner === thread).map(([what]) => what);
    const origin = threads.find((other) => other === thread.origin)?.id ?? null;
    return {
      agent: "codex",
      nativeId: thread.id,
      parent: thread.isSubAgent ? origin : null,
      forkedFrom: thread.isSubAgent ? null : origin,
      visible: visibleTexts(thread, (turn) => owners.get(turn) === thread),
      turns: owned.filter((what) => typeof what === "string").length,
      requests: owned.filter((what) => typeof what !== "string"),
      isEmpty: false,
    };
  });
}

/** The newest turns go with each rollback; it also hides copies. */
function visibleTexts({ rows }: CodexThread, isOwn: (turn: string) => boolean): string[] {
  const visible: { readonly turn: string; readonly text: string }[] = [];
  for (const { turn, text = "", payload } of rows) {
    if (turn !== undefined) visible.push({ turn, text });
    const count = payload.type === "thread_rolled_back" ? Number(payload.num_turns) : 0;
    visible.splice(Math.max(0, visible.length - count));
  }
  return visible.flatMap(({ turn, text }) => (isOwn(turn) ? [text] : []));
}

/** A rollout may be compressed, archived, or lie in both places. */
function filesOf(thread: CodexThread): HistoryFile[] {
  const { world, path, name } = thread;
  const lines = thread.lines();
  const active: HistoryFile = { path, agent: "codex", lines };
  const zstd: HistoryFile = { path: `${path}.zst`, agent: "codex", lines, isZstd: true };
  if (world.lay("codex: compressed", 0.12)) return [zstd];
  if (world.lay("codex: archived only", 0.1)) return [{ ...active, path: `archived_sessions/${name}` }];
  const files: HistoryFile[] = [
    world.lay("codex: partial last line", 0.15)
      ? {
          ...active,
          partial: '{"timestamp":"2026-03-01T00:00:00.000Z","type":"event_msg","payload":{"type":"tok',
        }
      : active,
  ];
  const beginning = lines.slice(0, 1 + world.random.int(lines.length));
  if (world.lay("codex: archived copy", 0.12))
    files.push({ path: `archived_sessions/${name}`, agent: "codex", lines: beginning });
  else if (world.lay("codex: compressed copy", 0.08)) files.push({ ...zstd, lines: beginning });
  if (world.lay("codex: temporary file", 0.1)) files.push({ ...active, path: `${path}.tmp` });
  return files;
}
