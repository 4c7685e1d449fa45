import type { RequestTruth } from "../truth.ts";
import type { ClaudeRecord, ClaudeSession } from "./session.ts";
import { newRequest, usageRecord } from "./usage.ts";

/** Writes one answer of the model, a record for each of its blocks, and the result of the tool that it called. */
export function writeAnswer(session: ClaudeSession, isLast: boolean): void {
  const { world } = session;
  const request = newRequest(world);
  const names = namesOf(session);
  const isSingle = names.isNameless || request.reportedNanoUsd !== null;
  const count = isSingle || !world.lay("claude: streamed blocks (D1)", 0.6) ? 1 : 2 + world.random.int(2);
  const outputs = outputsOf(session, request, count);
  const tool = isLast ? null : `toolu_${world.hex(20)}`;
  const searches = tool === null ? 0 : request.webSearches;
  const isLinked = searches > 0 && world.lay("claude: searches in the result of the tool", 0.5);
  for (const [index, output] of outputs.entries()) {
    const isTool = tool !== null && index === count - 1;
    session.add(
      {
        type: "assistant",
        ...names.record,
        message: {
          ...names.message,
          role: "assistant",
          model: request.model,
          content: [isTool ? toolUse(tool, isLinked) : { type: "text", text: world.words(3) }],
          stop_reason: isLast ? "end_turn" : "tool_use",
          usage: usageRecord(world, isLinked ? { ...request, webSearches: 0 } : request, output),
        },
        ...(request.reportedNanoUsd === null ? {} : { costUSD: request.reportedNanoUsd / 1e9 }),
      },
      { request },
    );
    if (index < count - 1 && world.lay("claude: a record between blocks", 0.15)) addAttachment(session);
  }
  const toolUseResult = { query: "q", results: [], searchCount: searches };
  if (tool !== null) addToolResult(session, tool, isLinked ? { toolUseResult } : {});
}

export function addToolResult(session: ClaudeSession, tool: string, more: ClaudeRecord = {}): void {
  const sourceToolAssistantUUID = session.leaf;
  session.add({
    type: "user",
    message: {
      role: "user",
      content: [{ tool_use_id: tool, type: "tool_result", content: "done", is_error: false }],
    },
    toolUseResult: { stdout: "done", stderr: "" },
    sourceToolAssistantUUID,
    ...more,
  });
}

/** An answer that Claude Code itself writes in place of the model's. */
export function writeErrorStub(session: ClaudeSession): void {
  session.add({
    type: "assistant",
    isApiErrorMessage: true,
    message: {
      id: session.world.uuid(),
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: "API Error: 500" }],
      stop_reason: "stop_sequence",
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  });
}

function addAttachment(session: ClaudeSession): void {
  session.add({ type: "attachment", attachment: { type: "hook_success", hookEvent: "PreToolUse" } });
}

function toolUse(id: string, isSearch: boolean): ClaudeRecord {
  if (isSearch) return { type: "tool_use", id, name: "WebSearch", input: { query: "q" } };
  return { type: "tool_use", id, name: "Bash", input: { command: "make", usage: { input_tokens: 999 } } };
}

/** Proxies leave out the id of the request, that of the message, or both. */
function namesOf({ world }: ClaudeSession): {
  record: ClaudeRecord;
  message: ClaudeRecord;
  isNameless: boolean;
} {
  const id = `msg_${world.hex(24)}`;
  const requestId = world.lay("claude: one requestId for all", 0.1) ? "req_lab" : `req_${world.hex(24)}`;
  if (world.lay("claude: no requestId (D5)", 0.08)) return { record: {}, message: { id }, isNameless: false };
  if (world.lay("claude: no ids at all (D5)", 0.05)) return { record: {}, message: {}, isNameless: true };
  if (requestId !== "req_lab" && world.lay("claude: no message id (D5)", 0.05))
    return { record: { requestId }, message: {}, isNameless: false };
  return { record: { requestId }, message: { id }, isNameless: false };
}

/** The output grows from block to block; its greatest value may come earlier. */
function outputsOf({ world }: ClaudeSession, { output }: RequestTruth, count: number): number[] {
  const outputs = Array.from({ length: count - 1 }, () => 1 + world.random.int(output - 1)).sort(
    (a, b) => a - b,
  );
  if (count > 1 && world.lay("claude: greatest output is not last (D1)", 0.15)) return [output, ...outputs];
  return [...outputs, output];
}
