import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { objectOf, textOf, timeOf } from "../../json-lines.ts";
import type { Subagent, SubagentFiles, SubagentNote } from "../../subagents.ts";
import type { CodexMemory } from "../memory.ts";
import { identityInName } from "../rollout/rollout.ts";
import { parseSubagent } from "./rollout.ts";

/** Sub-agents of Codex: threads with rollouts of their own, which stand among those of all sessions, by day. */
export const subagents: SubagentFiles<CodexMemory> = {
  folders(transcript, now) {
    const began = transcript.slice(0, transcript.lastIndexOf("/"));
    const root = began.replace(/(?:\/\d+){3}$/u, "");
    return [...new Set([began, ...(root === began ? [] : [`${root}/${dayOf(now)}`])])];
  },
  identify,
  memory: {},
  parse: parseSubagent,
};

/** The first line tells; a copy of that of its parent may follow it. */
function identify(path: string, firstLine: string): Subagent | undefined {
  const line = readJsonObject(firstLine) ?? {};
  const meta = objectOf(line.payload);
  const nativeId = textOf(meta.id);
  const isRollout = identityInName(path.slice(path.lastIndexOf("/") + 1)) !== undefined;
  const described = describeSubagent(meta);
  if (!isRollout || line.type !== "session_meta" || nativeId === null || described === null) return undefined;
  const { parent, ...note } = described;
  const sessionNativeId = textOf(meta.session_id) ?? parent;
  return {
    nativeId,
    sessionNativeId: sessionNativeId === nativeId ? parent : sessionNativeId,
    ...(parent === sessionNativeId ? {} : { parentNativeId: parent }),
    ...note,
    ...timeOf("beganAt", line),
  };
}

/** The thread that a sub-agent helps, its part and its task; null where the thread helps none. */
export function describeSubagent(
  meta: JsonObject,
): (Pick<SubagentNote, "agentName" | "purpose"> & { readonly parent: string }) | null {
  const parent = parentOf(meta);
  const agentName = textOf(meta.agent_role) ?? textOf(spawnOf(meta).agent_role);
  const purpose = taskOf(meta) ?? textOf(meta.agent_nickname) ?? textOf(spawnOf(meta).agent_nickname);
  if (parent === null) return null;
  return {
    parent,
    ...(agentName === null ? {} : { agentName }),
    ...(purpose === null ? {} : { purpose }),
  };
}

function parentOf(meta: JsonObject): string | null {
  return textOf(meta.parent_thread_id) ?? textOf(spawnOf(meta).parent_thread_id);
}

function spawnOf({ source }: JsonObject): JsonObject {
  return objectOf(objectOf(objectOf(source).subagent).thread_spawn);
}

/** `/root/first/second` is the task `second` of the task `first`. */
function taskOf(meta: JsonObject): string | null {
  const path = textOf(meta.agent_path) ?? textOf(spawnOf(meta).agent_path) ?? "";
  return path.split("/").at(-1) || null;
}

/** In local time, as Codex names its folders. */
function dayOf(now: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${now.getFullYear()}/${two(now.getMonth() + 1)}/${two(now.getDate())}`;
}
