import type { JsonObject } from "../../../domain/json.ts";
import { shortParams, shortText } from "../../../domain/short-value.ts";
import { knownFields } from "../content.ts";
import type { CodexMemory, Pending } from "../memory.ts";
import { changesOf } from "./items.ts";

const MOST_QUESTION_CHARS = 1000;

/** The request of the app server to a person; undefined where it is not for one. */
export function requestOf(
  method: string,
  params: JsonObject,
  memory: CodexMemory,
): Omit<Pending, "requestId"> | undefined {
  const { command, cwd, reason, networkApprovalContext, grantRoot, itemId } = params;
  const question = typeof reason === "string" ? shortText(reason, MOST_QUESTION_CHARS) : null;
  switch (method) {
    case "item/commandExecution/requestApproval":
      return {
        tool: "exec_command",
        input: shortParams(knownFields({ command, cwd, networkApprovalContext })),
        question,
      };
    case "item/fileChange/requestApproval":
      return {
        tool: "apply_patch",
        input: shortParams(knownFields({ changes: changesOf(memory, itemId), grantRoot })),
        question,
      };
    default:
      return undefined;
  }
}
