import type { Json } from "../../../domain/json.ts";
import type { Item } from "./line.ts";

/** An item as plain lines; nothing where the terminal has nothing to show. */
export function linesOf(item: Item): string {
  switch (item.type) {
    case "user":
      return `> ${item.text.replaceAll("\n", "\n  ")}`;
    case "queued":
      return `(queued) ${item.text.replaceAll("\n", "\n  ")}`;
    case "assistant":
      return item.text;
    case "thinking":
      return `(thinking) ${item.text}`;
    case "tool_call":
      return `[${item.name}] ${JSON.stringify(item.params)}`;
    case "tool_result":
      return `[${item.name}] ${resultOf(item.result)}`;
    case "usage":
      return "";
    case "result":
      return item.turn === "good" ? "" : item.turn === "failed" ? `Error: ${item.text}` : item.text;
  }
}

/** The output of a command, unchanged. */
function resultOf(result: Json): string {
  if (typeof result === "string") return result;
  const printed = result as { readonly code: number | null; readonly output: string };
  return `exit ${printed.code}\n${printed.output.trimEnd()}`;
}
