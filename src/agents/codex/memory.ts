import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { type Asked, AT_PROMPT } from "../../domain/supervise/signal.ts";
import { listOf, objectOf, textOf } from "../json-lines.ts";

/**
 * The memory of all parsers of Codex. It may come from an older release or a damaged file, so that lists are read by the
 * functions below and flags are compared with `true`.
 */
export type CodexMemory = {
  /** The model of the turn, in the rollout and in the stream. */
  readonly model?: string;

  // The rollout, and the reports of a terminal session.
  /** Whether a turn is open by the rollout; absent before the first one. */
  readonly isTurnOpen?: boolean;
  /** Calls without a result, the oldest first. */
  readonly calls?: readonly Call[];
  /** The last state that was reported. */
  readonly report?: string;
  /** It has reported another state than `working`, and so has had a prompt. */
  readonly isLoaded?: boolean;

  /** The rollout names each request of its own accord, so that its running totals say nothing more. */
  readonly hasRequests?: boolean;
  /** The turn and the last running totals of a rollout without such names. */
  readonly countedTurn?: string;
  readonly totals?: JsonObject;

  // The stream of the app server.
  /** The id of the conversation. */
  readonly thread?: string;
  /** The id of the last turn that has begun. */
  readonly turnId?: string;
  /** Requests without an answer, the oldest first. */
  readonly pending?: readonly Pending[];
  /** The changes to files of each item of the turn, by its id. */
  readonly changes?: JsonObject;
};

/** A tool that the model has called. */
export type Call = { readonly id: string; readonly name: string; readonly input: JsonObject };

/** A request for a permission. */
export type Pending = {
  readonly requestId: string;
  readonly tool: string | null;
  readonly input: JsonObject | null;
  readonly question: string | null;
};

/** The calls without a result. */
export function openCalls({ calls }: CodexMemory): readonly Call[] {
  return listOf(calls).flatMap((call: Json) => {
    const { id, name, input } = objectOf(call);
    const isCall = typeof id === "string" && typeof name === "string" && isJsonObject(input);
    return isCall ? [{ id, name, input }] : [];
  });
}

/** The requests without an answer. */
export function pendingRequests({ pending }: CodexMemory): readonly Pending[] {
  return listOf(pending).flatMap((value: Json) => {
    const { requestId, tool, input, question } = objectOf(value);
    if (typeof requestId !== "string") return [];
    const given = isJsonObject(input) ? input : null;
    return [{ requestId, tool: textOf(tool), input: given, question: textOf(question) }];
  });
}

export function askedOf(pending: Pending): Asked {
  return { ...AT_PROMPT, for: "permission", ...pending };
}
