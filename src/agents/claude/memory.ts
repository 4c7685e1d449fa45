import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { listOf, textOf } from "../json-lines.ts";

/**
 * The memory of all parsers of Claude Code. It may come from an older release or a damaged file, so that lists are read
 * by the functions below and flags are compared with `true`.
 */
export type ClaudeMemory = {
  // Reports, hooks and the live file of a terminal session.
  /** It has reported: its live file is needed only for states that reports leave out. */
  readonly reports?: boolean;
  /** The message of the report that asks for something; null where none is open. */
  readonly blocked?: string | null;
  /** Whether the call of the report that is open is known. */
  readonly isCallKnown?: boolean;
  /** Calls from hooks that no report has asked for yet: either may come first. */
  readonly hookCalls?: readonly Call[];
  /** It runs our hooks. */
  readonly hooks?: boolean;
  /** It has begun another conversation, and no turn since. */
  readonly cleared?: boolean;
  /** A person has opened a dialog, of which only the live file knows. */
  readonly isDialogOpen?: boolean;
  /** The last status in the live file. */
  readonly fileStatus?: string;
  /** The conversation in the live file. */
  readonly fileSession?: string;

  // The transcript.
  /** Names of the tools that were called and have not answered, by call: a result names only its call. */
  readonly tools?: Readonly<Record<string, string>>;
  /** When each text was typed that waits in the queue. */
  readonly queued?: readonly string[];
  /** The same of texts that have left the queue and are not said yet. */
  readonly dequeued?: readonly string[];
  /** A text was said and its turn is not over. */
  readonly inTurn?: boolean;
  /** How the turn goes so far. */
  readonly result?: "failed" | "aborted" | null;
  readonly why?: string | null;
  /** Its lines say where a text comes from, so that one without is no prompt. */
  readonly namesPrompts?: boolean;
  /** A turn has begun by the lines of the transcript, and not ended. */
  readonly isTurnOpen?: boolean;
  /** The last message of the model was its last word for now. */
  readonly isAtRest?: boolean;
  /** The last records of each turn of the conversation; first those that stand before all turns. */
  readonly branch?: readonly string[];
  /** Sub-agents that the open turn waits for, by their id. */
  readonly background?: readonly string[];
  /** The last request, with the greatest output that one of its lines said. */
  readonly request?: Pick<UsageEntry, keyof UsageEntry>;
  /** Requests whose searches have no result yet, by the call of the tool. */
  readonly searching?: Readonly<Record<string, Pick<UsageEntry, keyof UsageEntry>>>;
  /** The message with which a sub-agent ended its turn. */
  readonly endedMessage?: string;

  // The stream.
  /** Requests that nobody has answered, the oldest first. */
  readonly pending?: readonly Pending[];
  /** It emits its states. */
  readonly hasStates?: boolean;
  /** Tasks run in the background. */
  readonly hasTasks?: boolean;
  /** The last result, until the state behind it arrives. */
  readonly streamResult?: StreamResult | null;
};

/** A call that waits for a person, as hooks and the stream describe it. */
export type Call = { readonly tool: string; readonly input: JsonObject };

/** A request of the stream, with its input as it is: in the record, secrets are taken out of it. */
export type Pending = Call & {
  readonly requestId: string;
  readonly callId: string | null;
  /** Rules that Claude offers to remember, so that it need not ask for such calls again. */
  readonly rules: readonly JsonObject[];
};

export type StreamResult = { readonly turn: "good" | "failed" | "aborted"; readonly error: string | null };

export function hookCalls({ hookCalls: calls }: ClaudeMemory): readonly Call[] {
  return listOf(calls).flatMap((call) => parseCall(call) ?? []);
}

export function pendingRequests({ pending }: ClaudeMemory): readonly Pending[] {
  return listOf(pending).flatMap((value) => {
    const call = parseCall(value);
    if (!call || !isJsonObject(value) || typeof value.requestId !== "string") return [];
    const { requestId, callId, rules } = value;
    return [{ ...call, requestId, callId: textOf(callId), rules: allowRules(rules) }];
  });
}

/** Keeps only the suggested rules for calls: other suggestions would stop Claude from asking for much more. */
export function allowRules(suggestions: Json | undefined): readonly JsonObject[] {
  return listOf(suggestions)
    .filter(isJsonObject)
    .filter(({ type, behavior }) => type === "addRules" && behavior === "allow");
}

function parseCall(value: Json): Call | undefined {
  if (!isJsonObject(value) || typeof value.tool !== "string" || !isJsonObject(value.input)) return undefined;
  return { tool: value.tool, input: value.input };
}
