import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { textFields, textOf, timeOf } from "../../json-lines.ts";
import type { Subagent, SubagentFiles, SubagentNote } from "../../subagents.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseSubagent } from "./transcript.ts";

const TRANSCRIPT = /^agent-(.+)\.jsonl$/u;
const FOLDER = /\/([^/]+)\/subagents\//u;

/** Sub-agents of Claude Code: `<session>/subagents/…/agent-<id>.jsonl`, each with a description beside it. */
export const subagents: SubagentFiles<ClaudeMemory> = {
  folders: (transcript) => [`${withoutSuffix(transcript)}/subagents`],
  identify,
  memory: {},
  parse: parseSubagent,
  sidecar: {
    pathOf: (transcript) => `${withoutSuffix(transcript)}.meta.json`,
    parse: parseSidecar,
  },
};

/** Older releases wrote them beside the transcript of the session, which only their lines name. */
function identify(path: string, firstLine: string): Subagent | undefined {
  const nativeId = TRANSCRIPT.exec(path.slice(path.lastIndexOf("/") + 1))?.[1];
  if (nativeId === undefined) return undefined;
  const line = readJsonObject(firstLine) ?? {};
  const sessionNativeId = FOLDER.exec(path)?.[1] ?? textOf(line.sessionId);
  return sessionNativeId === null ? undefined : { nativeId, sessionNativeId, ...timeOf("beganAt", line) };
}

function parseSidecar(content: JsonObject): SubagentNote {
  const { agentType: agentName, description: purpose, toolUseId: callId, parentAgentId } = content;
  return {
    ...textFields({ agentName, purpose, callId, parentNativeId: parentAgentId }),
    ...(typeof content.finished === "boolean" ? { isFinished: content.finished } : {}),
  };
}

function withoutSuffix(path: string): string {
  return path.replace(/\.jsonl$/u, "");
}
