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
  /** The rollout says where turns begin. */
  readonly namesTurns?: boolean;
  /** The numbers of the lines with which the turns of the conversation began that nobody took back. */
  readonly begun?: readonly number[];
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
  /** They go on from those in another rollout, which is not there. */
  readonly isBaseUnknown?: boolean;
  /** How often they have begun anew: the same ones may come again. */
  readonly resets?: number;
  /** The service tier by the settings, and that of the turn since its first request; empty is the usual one. */
  readonly tier?: string;
  readonly turnTier?: string | null;

  // The rollout, and the stream beside it: both are read at once.
  /** The totals of the thread, and the part that is new since the last report, by source. */
  readonly rolloutUsed?: ThreadUsed;
  readonly streamUsed?: ThreadUsed;

  // The rollout of a sub-agent.
  /** Its own first line was read. */
  readonly hasMeta?: boolean;
  /** The number of the first line that is its own. */
  readonly ownFrom?: number;
  /** A copy of its parent's history is being read. */
  readonly isInherited?: boolean;
  /** The turns of its parent, where someone knows them. */
  readonly inheritedTurns?: readonly string[];

  // The stream of the app server.
  /** The id of the conversation. */
  readonly thread?: string;
  /** The id of the last turn that has begun. */
  readonly turnId?: string;
  /** The last turn in which a text was given. */
  readonly textTurnId?: string;
  /** Requests without an answer, the oldest first. */
  readonly pending?: readonly Pending[];
  /** The changes to files of each item of the turn, by its id. */
  readonly changes?: JsonObject;
};

export type ThreadUsed = { readonly total: JsonObject; readonly turn: JsonObject };

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
