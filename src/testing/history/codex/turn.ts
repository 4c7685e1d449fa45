import { MODELS, writeRepeats, writeRequest } from "./count.ts";
import type { CodexThread } from "./thread.ts";

/** Writes one turn of a thread. */
export function writeTurn(thread: CodexThread): void {
  const { world } = thread;
  const turnId = world.uuid();
  const text = world.words(4);
  if (thread.style === "ancient") thread.event("user_message", { message: text }, { turn: turnId, text });
  else beginTurn(thread, turnId, text);
  thread.add("response_item", {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text }],
  });
  const count = 1 + world.random.int(3);
  for (let index = 0; index < count; index++) {
    if (index > 0) writeCall(thread);
    if (index > 0 && thread.style !== "ancient" && world.lay("codex: model change in a turn", 0.05))
      writeContext(thread, turnId);
    writeRequest(thread);
    writeRepeats(thread);
    writeNoise(thread);
  }
  writeAnswer(thread);
  if (thread.style === "ancient") return;
  if (world.lay("codex: aborted turn", 0.1))
    thread.event("turn_aborted", { turn_id: turnId, reason: "interrupted" });
  else thread.event("task_complete", { turn_id: turnId, last_agent_message: "done" });
  if (world.lay("codex: rolled back turns (C6)", 0.12))
    thread.event("thread_rolled_back", { num_turns: 1 + world.random.int(2) });
}

function beginTurn(thread: CodexThread, turnId: string, text: string): void {
  const { world } = thread;
  if (thread.style === "upgraded" && world.random.chance(0.5)) thread.isUpgraded = true;
  thread.event("task_started", { turn_id: turnId, model_context_window: 258_400 }, { turn: turnId, text });
  writeContext(thread, turnId);
  const item = { type: "UserMessage", content: [{ type: "text", text }] };
  if (thread.isPaginated) thread.event("item_completed", { turn_id: turnId, item });
  else thread.event("user_message", { message: text });
}

function writeContext(thread: CodexThread, turnId: string): void {
  const { world } = thread;
  const model = world.random.pick(MODELS);
  if (model !== thread.model && thread.rows.some(({ type }) => type === "turn_context"))
    world.traps.add("codex: model change");
  thread.model = model;
  thread.add("turn_context", { turn_id: turnId, cwd: "/work/project", model, effort: "medium" });
}

function writeCall(thread: CodexThread): void {
  const callId = `call_${thread.world.hex(8)}`;
  thread.add("response_item", {
    type: "function_call",
    name: "exec_command",
    arguments: '{"cmd":"make"}',
    call_id: callId,
  });
  thread.add("response_item", { type: "function_call_output", call_id: callId, output: "ok" });
}

function writeAnswer(thread: CodexThread): void {
  const text = thread.world.words(3);
  if (thread.isPaginated)
    thread.event("item_completed", { item: { type: "AgentMessage", content: [{ type: "Text", text }] } });
  else thread.event("agent_message", { message: text });
  thread.add("response_item", {
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text }],
  });
}

function writeNoise(thread: CodexThread): void {
  const { world } = thread;
  const usage = { input_tokens: 12_345, output_tokens: 678, total_tokens: 13_023 };
  if (world.lay("codex: unknown record type", 0.08))
    thread.add("from_the_future", { info: { last_token_usage: usage, total_token_usage: usage } });
  if (world.lay("codex: unknown event", 0.08)) thread.event("token_forecast", { last_token_usage: usage });
  if (world.lay("codex: compaction", 0.08)) thread.add("compacted", { message: "shorter" });
  const at = thread.rows.length - 1;
  if (world.lay("codex: broken line", 0.05))
    thread.rubbish.set(at, '{"timestamp":"2026-03-01","type":"event');
  else if (world.lay("codex: empty line", 0.04)) thread.rubbish.set(at, "");
}
