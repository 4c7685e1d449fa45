import type { Item } from "../line.ts";

/** An item as updates of the conversation. A message comes in two pieces; what the user says is repeated when it is old. */
export function updatesOf(item: Item, isOld: boolean): readonly object[] {
  switch (item.type) {
    case "user":
      return isOld ? piecesOf("user_message_chunk", item.text) : [];
    case "assistant":
      return piecesOf("agent_message_chunk", item.text);
    case "thinking":
      return piecesOf("agent_thought_chunk", item.text);
    case "tool_call": {
      const { id: toolCallId, name, params: rawInput } = item;
      const call = { toolCallId, name, title: `Use ${name}`, kind: "other", status: "in_progress", rawInput };
      return [{ sessionUpdate: "tool_call", ...call }];
    }
    case "tool_result": {
      const { id: toolCallId, result: rawOutput } = item;
      return [{ sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput }];
    }
    default:
      return [];
  }
}

function piecesOf(sessionUpdate: string, text: string): object[] {
  const messageId = crypto.randomUUID();
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)]
    .filter((piece) => piece !== "")
    .map((piece) => ({ sessionUpdate, messageId, content: { type: "text", text: piece } }));
}
