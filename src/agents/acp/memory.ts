import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { listOf, objectOf, textOf } from "../json-lines.ts";

/**
 * The memory of the codec. It may come from an older release or a damaged file, so that it is read by the functions
 * below and flags are compared with `true`.
 */
export type AcpMemory = {
  // The plan of the launch.
  /** Begins the id of every request of this launch, so that no other launch has the same. */
  readonly launch?: string;
  readonly cwd?: string;
  readonly wantedModel?: string | null;
  readonly continues?: JsonObject | null;

  // The conversation.
  /** The method that opens it. */
  readonly opening?: string;
  readonly authNames?: readonly string[];
  readonly canClose?: boolean;
  readonly canFork?: boolean;
  /** Its id, once it is open. */
  readonly session?: string;

  /** After a load, while old words may still come: the mode of the agent, and whether one came since it was asked last. */
  readonly replay?: JsonObject | null;

  readonly model?: string;

  // The turn.
  /** How many texts were given. */
  readonly prompts?: number;
  /** The id of the text that is not answered yet. */
  readonly prompt?: string | null;
  readonly isCancelled?: boolean;
  /** The agent shows that the turn has failed, though its answer will not say so. */
  readonly hasFailed?: boolean;
  /** Requests without an answer, the oldest first. */
  readonly pending?: readonly Pending[];
  /** Tool calls without a result, by their id. */
  readonly calls?: JsonObject;
  /** The ids of calls whose result is told. */
  readonly done?: readonly string[];
  /** The message that is still coming in pieces. */
  readonly part?: Part | null;
  readonly plan?: string;

  /** The memory of the parser for a transcript that is read beside the protocol. */
  readonly transcript?: JsonObject;

  // Cost.
  /** All that the conversation has cost, in billionths of a dollar, as it was told last. */
  readonly cost?: number;
  /** How much of it is in the ledger; absent while nobody knows what it cost before this launch. */
  readonly counted?: number;
};

/** A request for a permission. */
export type Pending = {
  readonly requestId: string;
  /** As the agent numbers it. */
  readonly id: Json;
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly question: string;
  readonly options: readonly Option[];
};

export type Option = { readonly id: string; readonly kind: string; readonly name: string };

/** A piece of a message, with all pieces before it. */
export type Part = {
  readonly kind: "text" | "thinking";
  readonly messageId: string | null;
  readonly text: string;
};

export type Call = {
  readonly name: string;
  readonly title: string;
  readonly input: JsonObject;
  /** Its content so far. */
  readonly output: Json;
  readonly isTold: boolean;
};

/** The requests without an answer. */
export function pendingRequests({ pending }: AcpMemory): readonly Pending[] {
  return listOf(pending).flatMap((value: Json) => {
    const { requestId, id, callId, tool, input, question, options } = objectOf(value);
    const isPending = typeof requestId === "string" && id !== undefined && typeof tool === "string";
    if (!isPending || typeof callId !== "string") return [];
    const asked = { input: objectOf(input), question: textOf(question) ?? "", options: optionsOf(options) };
    return [{ requestId, id, callId, tool, ...asked }];
  });
}

function optionsOf(options: Json | undefined): Option[] {
  return listOf(options).flatMap((value) => {
    const { id, kind, name } = objectOf(value);
    const isOption = typeof id === "string" && typeof kind === "string" && typeof name === "string";
    return isOption ? [{ id, kind, name }] : [];
  });
}

export function partOf({ part }: AcpMemory): Part | null {
  const { kind, messageId, text } = objectOf(part);
  if ((kind !== "text" && kind !== "thinking") || typeof text !== "string") return null;
  return { kind, messageId: textOf(messageId), text };
}

/** A call that has begun and has no result yet. */
export function callOf({ calls }: AcpMemory, id: string): Call | undefined {
  const known = objectOf(calls);
  const call = Object.hasOwn(known, id) ? known[id] : undefined;
  if (!isJsonObject(call)) return undefined;
  const { name, title, input, output, isTold } = call;
  return {
    name: textOf(name) ?? "other",
    title: textOf(title) ?? "",
    input: objectOf(input),
    output: output ?? null,
    isTold: isTold === true,
  };
}

export function continuedOf({
  continues,
}: AcpMemory): { readonly nativeId: string; readonly how: string } | null {
  const { nativeId, how } = objectOf(continues);
  return typeof nativeId === "string" && typeof how === "string" ? { nativeId, how } : null;
}

/** The id of the text that the agent works on; null at its prompt. */
export function promptInWork({ prompt }: AcpMemory): string | null {
  return textOf(prompt);
}

export function isReplaying({ replay }: AcpMemory): boolean {
  return isJsonObject(replay);
}
