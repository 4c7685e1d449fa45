import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { isFinal } from "../../domain/session/phase.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { workspaceOf } from "../../machine/workspace.ts";
import type { Context } from "../context.ts";
import type { Rollcall } from "../rollcall.ts";
import { adviceText } from "./claude-advice.ts";
import { adviseDelegation, stopSubagent } from "./delegate.ts";

/** What Claude Code takes from a hook: nothing, or a text for its model. Never a decision. */
export interface ClaudeAnswer {
  readonly hookSpecificOutput?: {
    readonly hookEventName: "PreToolUse";
    readonly additionalContext: string;
  };
}

/** The tool that starts a sub-agent; earlier versions called it `Task`. */
const SUBAGENT_TOOLS: readonly unknown[] = ["Agent", "Task"];
/** What it starts where the model names no type. */
const DEFAULT_TYPE = "general-purpose";
const LONGEST_SUMMARY = 4000;
const LARGEST_META_BYTES = 1024 * 1024;

/** Before Claude's sub-agent tool runs: what its model should know of earlier sessions of that sub-agent. */
export async function adviseClaude(rollcall: Rollcall, payload: JsonObject): Promise<ClaudeAnswer> {
  const { context } = rollcall;
  const delegation = await delegationOf(context, payload);
  if (!delegation) return {};
  const workspace = workspaceOf(textOf(payload.cwd) ?? context.cwd);
  // Its tool use id is new with each call: what an earlier session of the sub-agent shares is parent or workspace.
  const isNear = ({ parentId, workspacePath }: SessionRow) =>
    (parentId !== null && parentId === delegation.parent_id) || workspacePath === workspace;
  const text = adviceText(await adviseDelegation(rollcall, delegation, isNear), delegation.agent_name);
  if (text === undefined) return {};
  return { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: text } };
}

/**
 * After a turn of a sub-agent: finalises its session, unless that says of itself that it is to be taken up again.
 * A sub-agent that no session belongs to is none of our business.
 */
export async function stopClaudeSubagent(rollcall: Rollcall, payload: JsonObject): Promise<ClaudeAnswer> {
  const row = await findSession(rollcall.context, payload);
  if (!row || row.resumeReady || isFinal(row.phase)) return {};
  const summary = textOf(payload.last_assistant_message)?.slice(0, LONGEST_SUMMARY).toWellFormed();
  await stopSubagent(rollcall, { agent_id: row.id, ...(summary === undefined ? {} : { summary }) });
  return {};
}

interface Delegation extends JsonObject {
  readonly agent_name: string;
  readonly parent_id: string | null;
}

async function delegationOf(context: Context, payload: JsonObject): Promise<Delegation | undefined> {
  const { tool_name: tool, tool_input: input, tool_use_id: taskId } = payload;
  if (!SUBAGENT_TOOLS.includes(tool) || !isJsonObject(input)) return undefined;
  const prompt = textOf(input.prompt) ?? "";
  return {
    agent_name: textOf(input.subagent_type) ?? DEFAULT_TYPE,
    task_id: textOf(taskId),
    agent_id: namedIn(prompt),
    task_description: textOf(input.description) ?? prompt,
    parent_id: await findParent(context, payload),
  };
}

/** The session that called the tool, if it is on the roll. */
async function findParent(context: Context, { session_id: nativeId }: JsonObject): Promise<string | null> {
  const parent = await findByNativeId(context, textOf(nativeId));
  if (parent) return parent.id;
  const around = context.env.ROLLCALL_SESSION_ID;
  return (around && (await context.store.find(around))?.row.id) || null;
}

/** One that has Claude's id for the sub-agent, else the one that was named when it was delegated to. */
async function findSession(context: Context, payload: JsonObject): Promise<SessionRow | undefined> {
  const agentId = textOf(payload.agent_id);
  const own =
    (agentId && (await context.store.find(agentId))?.row) || (await findByNativeId(context, agentId));
  if (own) return own;
  const toolUseId = toolUseIdOf(textOf(payload.agent_transcript_path));
  const named = toolUseId && (await context.store.findDelegation(toolUseId))?.sessionId;
  const row = named ? (await context.store.find(named))?.row : undefined;
  const isMadeForIt = row && row.origin !== "started" && row.agentName === textOf(payload.agent_type);
  return isMadeForIt ? row : undefined;
}

async function findByNativeId(context: Context, nativeId: string | null): Promise<SessionRow | undefined> {
  if (nativeId === null) return undefined;
  return (await context.store.list({ agent: "claude", nativeId, limit: 1 })).items[0]?.row;
}

/** Said in so many words: a session that a prompt merely speaks of is not the sub-agent's own. */
function namedIn(prompt: string): string | null {
  const found = /\bagent_id["'`]?\s*[:=]\s*["'`]?([A-Za-z0-9][A-Za-z0-9._-]{0,127})/.exec(prompt)?.[1];
  // The end of a sentence is not part of the id.
  return found?.replace(/\.+$/, "") ?? null;
}

/**
 * The call that started a sub-agent stands in a file beside its transcript, from its start on; the transcript itself
 * may not be there yet when it stops (Claude Code 2.1.325).
 */
function toolUseIdOf(transcript: string | null): string | null {
  const path = transcript?.replace(/\.jsonl$/, ".meta.json");
  try {
    if (!path || path === transcript) return null;
    const { toolUseId } = JSON.parse(readForeignText(path, LARGEST_META_BYTES)) as { toolUseId?: unknown };
    return textOf(toolUseId);
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
