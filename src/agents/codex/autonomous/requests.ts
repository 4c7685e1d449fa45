import type { JsonObject } from "../../../domain/json.ts";
import { textOf } from "../../json-lines.ts";
import { knownFields } from "../content.ts";
import type { CodexMemory, Pending } from "../memory.ts";
import { changesOf } from "./items.ts";

/** The request of the app server to a person; undefined where it is not for one. */
export function requestOf(
  method: string,
  params: JsonObject,
  memory: CodexMemory,
): Omit<Pending, "requestId"> | undefined {
  const { command, cwd, reason, networkApprovalContext, grantRoot, itemId } = params;
  const question = textOf(reason);
  switch (method) {
    case "item/commandExecution/requestApproval":
      return { tool: "exec_command", input: knownFields({ command, cwd, networkApprovalContext }), question };
    case "item/fileChange/requestApproval":
      return {
        tool: "apply_patch",
        input: knownFields({ changes: changesOf(memory, itemId), grantRoot }),
        question,
      };
    default:
      return undefined;
  }
}
