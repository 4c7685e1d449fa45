import { addToolResult, writeAnswer } from "./answer.ts";
import { type ClaudeRecord, ClaudeSession } from "./session.ts";
import { newRequest, usageRecord } from "./usage.ts";

/** A real sub-agent, with requests of its own; its parent repeats some of its figures. */
export function writeSubAgent(parent: ClaudeSession): ClaudeSession {
  const { world } = parent;
  const child = newChild(parent, world.lay("claude: sub-agent in a workflow (D4)", 0.3));
  world.traps.add("claude: sub-agent (D4)");
  const task = world.words(3);
  child.add({ type: "user", message: { role: "user", content: task } }, { turn: task });
  const count = 1 + world.random.int(3);
  for (let index = 0; index < count; index++) {
    writeAnswer(child, index === count - 1);
    if (world.lay("claude: progress record with usage", 0.3)) addProgress(parent, child);
  }
  addTaskResult(parent, child);
  return child;
}

/** An aside: its file repeats messages of the parent under another request, and may have an answer of its own. */
export function writeAside(parent: ClaudeSession): ClaudeSession {
  const { world } = parent;
  const aside = newChild(parent, false);
  world.traps.add("claude: side chain replay (D3)");
  for (const { record, request, turn } of parent.chain()) {
    if (request === undefined && turn === undefined) continue;
    const { message, requestId } = record as { message: { id?: string }; requestId?: string };
    if (request !== undefined && (message.id === undefined || requestId === undefined)) continue;
    aside.rows.push({ record: replayRecord(aside, record) });
  }
  if (world.lay("claude: side chain without an answer (D3)", 0.2)) return aside;
  aside.leaf = (aside.rows.at(-1)?.record.uuid as string | undefined) ?? null;
  const question = world.words(3);
  aside.add({ type: "user", message: { role: "user", content: question } }, { turn: question });
  writeAnswer(aside, true);
  return aside;
}

function newChild(parent: ClaudeSession, isInWorkflow: boolean): ClaudeSession {
  const { world, id, folder } = parent;
  const workflow = isInWorkflow ? `wf_${world.hex(8)}` : null;
  return new ClaudeSession(world, { id, folder, agentId: `a${world.hex(16)}`, workflow });
}

function replayRecord(aside: ClaudeSession, record: ClaudeRecord): ClaudeRecord {
  const { world, agentId } = aside;
  const isAnswer = record.type === "assistant";
  return {
    ...record,
    isSidechain: true,
    agentId,
    ...(isAnswer ? { requestId: `req_${world.hex(24)}` } : {}),
    ...(isAnswer && world.random.chance(0.5) ? { uuid: world.uuid() } : {}),
  };
}

/** A whole message of the sub-agent inside a record of its parent. */
function addProgress(parent: ClaudeSession, child: ClaudeSession): void {
  const last = child.rows.findLast(({ request }) => request !== undefined);
  parent.add({ type: "progress", data: { type: "agent_progress", message: last?.record } });
}

function addTaskResult(parent: ClaudeSession, child: ClaudeSession): void {
  const { world } = parent;
  const usage = usageRecord(world, newRequest(world), 77);
  const toolUseResult = { status: "completed", agentId: child.agentId, totalTokens: 4711, usage };
  addToolResult(parent, `toolu_${world.hex(20)}`, { toolUseResult });
}
