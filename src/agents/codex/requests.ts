import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { type Asked, AT_PROMPT } from "../../domain/supervise/signal.ts";
import type { Notes } from "../agent.ts";
import { changesOf } from "./items.ts";
import { known, objectIn, readJson, textOf } from "./lines.ts";
import { answerId } from "./protocol.ts";

/** What a request of the app server asks a person; undefined where it is not for one. */
export function requestSeen(method: string, params: JsonObject, notes: Notes): Asked | undefined {
  const { command, cwd, reason, networkApprovalContext, grantRoot, itemId } = params;
  const asked = { ...AT_PROMPT, for: "permission", question: textOf(reason) } as const;
  switch (method) {
    case "item/commandExecution/requestApproval":
      return { ...asked, tool: "exec_command", input: known({ command, cwd, networkApprovalContext }) };
    case "item/fileChange/requestApproval":
      return {
        ...asked,
        tool: "apply_patch",
        input: known({ changes: changesOf(notes, itemId), grantRoot }),
      };
    default:
      return undefined;
  }
}

/** The requests that were not answered yet, the oldest first. */
export function pendingIn(notes: Notes): readonly Asked[] {
  const pending = readJson(notes.pending);
  return Array.isArray(pending) ? pending.flatMap(askedIn) : [];
}

export function noteAsked(notes: Notes, asked: Asked): Notes {
  return { pending: JSON.stringify([...pendingIn(notes), asked]) };
}

export function noteResolved(notes: Notes, id: Json | undefined): Notes {
  const others = pendingIn(notes).filter(({ requestId }) => answerId(requestId) !== id);
  return { pending: JSON.stringify(others) };
}

function askedIn(value: Json): Asked[] {
  const { requestId, tool, input, question } = objectIn(value);
  if (typeof requestId !== "string") return [];
  const fields = {
    tool: textOf(tool),
    input: isJsonObject(input) ? input : null,
    question: textOf(question),
  };
  return [{ ...AT_PROMPT, for: "permission", requestId, ...fields }];
}
