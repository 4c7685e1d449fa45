import type { HistoryFile, SessionTruth } from "../truth.ts";
import type { World } from "../world.ts";
import { type ClaudeRecord, ClaudeSession, type Row } from "./session.ts";
import { writeAside, writeSubAgent } from "./sub-agents.ts";
import { writeTurn } from "./turn.ts";

export interface AgentTree {
  readonly files: readonly HistoryFile[];
  readonly sessions: readonly SessionTruth[];
}

/** A folder of transcripts in the order in which they began, and what is true of them. */
export function generateClaude(world: World): AgentTree {
  const sessions: ClaudeSession[] = [];
  for (let index = 1 + world.random.int(2); index > 0; index--) writeRoot(world, sessions);
  if (world.lay("claude: fork (D2)", 0.6)) writeForks(world, sessions);
  const kept = dropOrigin(world, sessions);
  return { files: kept.flatMap((session) => filesOf(session)), sessions: truthOf(kept) };
}

function writeRoot(world: World, sessions: ClaudeSession[]): void {
  const session = new ClaudeSession(world, { id: world.uuid(), folder: folderIn(world) });
  sessions.push(session);
  writeHeader(session);
  writeTurns(session, sessions, 1 + world.random.int(3));
}

function writeHeader(session: ClaudeSession): void {
  const { world } = session;
  session.addLoose({ type: "mode", mode: "normal" });
  if (!world.lay("claude: dated record that no fork copies", 0.6)) return;
  session.addLoose({ type: "queue-operation", operation: "enqueue", timestamp: world.tick(), content: "x" });
  session.isDated = true;
}

function writeTurns(session: ClaudeSession, sessions: ClaudeSession[], count: number): void {
  const { world } = session;
  for (let index = 0; index < count; index++) {
    const points = session.chain().filter(({ turn }) => turn !== undefined);
    if (points.length > 0 && world.lay("claude: rewind", 0.2)) {
      session.leaf = world.random.pick(points).record.parentUuid as string | null;
      if (session.leaf === null) world.traps.add("claude: rewind to before the first record");
    }
    if (index > 0 && world.lay("claude: resumed after days", 0.15)) world.pass(1 + world.random.int(100));
    writeTurn(session);
    if (world.random.chance(0.25)) sessions.push(writeSubAgent(session));
    if (world.random.chance(0.12)) sessions.push(writeAside(session));
  }
}

function writeForks(world: World, sessions: ClaudeSession[]): void {
  for (let index = 1 + world.random.int(3); index > 0; index--) {
    const origin = world.random.pick(sessions.filter(({ agentId }) => agentId === null));
    if (origin.isForked) world.traps.add("claude: several forks of one session (D2)");
    sessions.push(writeFork(origin, sessions));
    // Without a date of its own, nothing would tell an origin that goes on from its fork.
    if (origin.isDated && world.lay("claude: origin goes on after its fork (D2)", 0.4))
      writeTurns(origin, sessions, 1);
  }
}

function writeFork(origin: ClaudeSession, sessions: ClaudeSession[]): ClaudeSession {
  const { world } = origin;
  world.pass(1);
  const isElsewhere = world.lay("claude: fork in another folder", 0.3);
  const fork = new ClaudeSession(world, {
    id: world.uuid(),
    folder: isElsewhere ? folderIn(world) : origin.folder,
    origin,
  });
  if (fork.id < origin.id) world.traps.add("claude: fork sorts before its origin (D2)");
  if (isFork(origin)) world.traps.add("claude: fork of a fork (D2)");
  origin.isForked = true;
  const isBackground = world.lay("claude: background hand-off (D2)", 0.3);
  if (world.random.chance(0.5)) writeHeader(fork);
  const copied = copiedRows(origin);
  const first = origin.rows.find(({ record }) => record.uuid !== undefined);
  if (first && !copied.includes(first)) world.traps.add("claude: fork without the first record (D2)");
  for (const row of copied) {
    const record: ClaudeRecord = {
      ...row.record,
      sessionId: fork.id,
      ...(isBackground ? { sessionKind: "bg" } : {}),
    };
    fork.rows.push({ ...row, record });
    fork.leaf = record.uuid as string;
    copies.add(record);
  }
  writeTurns(fork, sessions, 1 + world.random.int(2));
  return fork;
}

/** Records that were written into a fork with it. */
const copies = new WeakSet<ClaudeRecord>();

function isFork(session: ClaudeSession): boolean {
  return session.rows.some(({ record }) => copies.has(record));
}

/** All of the conversation, or its beginning up to a prompt. */
function copiedRows(origin: ClaudeSession): Row[] {
  const { world } = origin;
  const chain = origin.chain();
  const prompts = chain.flatMap(({ turn }, index) => (turn !== undefined && index > 0 ? [index] : []));
  const isBeginning = prompts.length > 0 && world.lay("claude: fork of the beginning (D2)", 0.25);
  const rows = isBeginning ? chain.slice(0, world.random.pick(prompts)) : chain;
  const block = rows.findLastIndex(
    ({ request }, index) => request !== undefined && rows[index - 1]?.request === request,
  );
  // The fork has less of the output of that answer than its origin.
  if (isBeginning || block === -1 || !world.lay("claude: fork in the middle of an answer (D2)", 0.25))
    return rows;
  origin.isNeeded = true;
  return rows.slice(0, block);
}

function dropOrigin(world: World, sessions: readonly ClaudeSession[]): readonly ClaudeSession[] {
  const origin = sessions.find(({ isForked, isNeeded }) => isForked && !isNeeded);
  if (origin === undefined || !world.lay("claude: origin is missing (D2)", 0.2)) return sessions;
  return sessions.filter(({ id }) => id !== origin.id);
}

/** Each request and record belongs to the first transcript that is there; the others repeat it. */
function truthOf(sessions: readonly ClaudeSession[]): SessionTruth[] {
  const owners = new Map<unknown, ClaudeSession>();
  const helpersLast = sessions.toSorted((a, b) => Number(a.agentId !== null) - Number(b.agentId !== null));
  for (const session of helpersLast)
    for (const { request, record } of session.rows)
      for (const owned of [request, record.uuid])
        if (owned !== undefined && !owners.has(owned)) owners.set(owned, session);
  return sessions.map((session) => {
    const isOwn = (owned: unknown) => owners.get(owned) === session;
    const requests = new Set(
      session.rows.flatMap(({ request }) => (request && isOwn(request) ? [request] : [])),
    );
    const turns = session.rows.filter(({ turn, record }) => turn !== undefined && isOwn(record.uuid));
    const repeated = session.rows.findLast(({ record }) => record.uuid !== undefined && !isOwn(record.uuid));
    return {
      agent: "claude",
      nativeId: session.nativeId,
      parent: session.agentId === null ? null : session.id,
      // The session that the last repeated record belongs to.
      forkedFrom: session.agentId === null ? (owners.get(repeated?.record.uuid)?.nativeId ?? null) : null,
      turns: turns.length,
      visible: visibleTexts(session, isOwn),
      requests: [...requests],
      isEmpty: requests.size === 0 && turns.length === 0,
    };
  });
}

/** The prompts on the way from the first record to the leaf, but for copies. */
function visibleTexts(session: ClaudeSession, isOwn: (owned: unknown) => boolean): string[] {
  return session
    .chain()
    .flatMap(({ turn, record }) => (turn !== undefined && isOwn(record.uuid) ? [turn] : []));
}

function filesOf(session: ClaudeSession): HistoryFile[] {
  const { world, path } = session;
  const isPartial = world.lay("claude: partial last line", 0.15);
  const partial = isPartial ? '{"type":"assistant","message":{"id":"msg_x","usage":{"input_tokens":5' : "";
  const file: HistoryFile = { path, agent: "claude", lines: session.lines(), partial };
  if (session.agentId === null) return [file];
  const meta = JSON.stringify({ agentType: "general-purpose", description: "part of the work" });
  return [file, { path: path.replace(/jsonl$/u, "meta.json"), agent: "claude", lines: [meta] }];
}

function folderIn(world: World): string {
  return world.random.pick(["-work-project", "-work-other-project"]);
}
