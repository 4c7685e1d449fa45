import type { EventBody } from "../session/event.ts";

/** The amount that one event adds to the count of a tool. */
export interface ToolUse {
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
}

/** A call counts once, and again as failed with the result that says so. */
export function toolUseOf(body: EventBody): ToolUse | undefined {
  if (body.kind !== "entry_added" || body.entry.tool === null) return undefined;
  const { kind, tool } = body.entry;
  if (kind === "tool_call") return { tool: tool.name, calls: 1, failures: tool.isError ? 1 : 0 };
  return kind === "tool_result" && tool.isError ? { tool: tool.name, calls: 0, failures: 1 } : undefined;
}
