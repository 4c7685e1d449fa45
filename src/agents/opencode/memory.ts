import type { Json, JsonObject } from "../../domain/json.ts";
import { countOf, listOf, objectOf, textOf } from "../json-lines.ts";

/** The memory of the parsers of both modes. The first six come from the plan. */
export type OpencodeMemory = {
  /** The conversation that is shown. Absent until one is opened. */
  readonly native?: string | null;
  readonly forkOf?: string | null;
  readonly model?: string;
  readonly agent?: string;
  readonly hasTerminal?: boolean;
  /** Its conversations are kept nowhere, and with them its sub-agents. */
  readonly hasNoDatabase?: boolean;
  /** Whether calls are answered, and at a terminal shown. */
  readonly isUp?: boolean;
  /** Whether a conversation was asked for that no event has told yet, and whether a heartbeat came since. */
  readonly isOpening?: boolean;
  readonly hasWaited?: boolean;
  /** Whether that call was made again: both may be carried out. */
  readonly isAskedAgain?: boolean;
  /** Whether the terminal had the title of a conversation when it was last set. */
  readonly isTitled?: boolean;
  /** When the conversation was created: messages from before are copies that a fork has made. */
  readonly bornMs?: number;
  /** The sub-agents: sessions with a parent. */
  readonly children?: readonly string[];
  /** The first message of this launch: ids ascend, and what is below belongs to an earlier launch or is a copy. */
  readonly firstMessage?: string | null;
  /** The newest messages of users; all others are the model's. */
  readonly userMessages?: readonly string[];
  /** The newest parts that made an entry: a part is told again with every change. */
  readonly told?: readonly string[];
  readonly isBusy?: boolean;
  /** A text came since it rested last: a turn is on its way, or goes on. */
  readonly hasText?: boolean;
  /** The answer that is not complete; a rest before its end is not the last word. */
  readonly openAnswer?: string | null;
  /** How the turn stands: why the newest answer ended, and the error that was told. */
  readonly finish?: string | null;
  readonly error?: { readonly name: string; readonly message: string } | null;
  /** Requests that nobody has answered yet, the oldest first. */
  readonly requests?: readonly OpenRequest[];
  /** Requests of turns that are over. OpenCode lists them for ever. */
  readonly stale?: readonly string[];
};

export type OpenRequest = {
  readonly id: string;
  readonly kind: "permission" | "question";
  readonly tool: string | null;
  readonly input: JsonObject;
  /** Whether OpenCode offers to ask no more for the like. */
  readonly canLast: boolean;
};

const MOST_KEPT = 400;

/** Adds the newest and drops the oldest. */
export function withNewest(known: readonly string[], ...more: readonly string[]): readonly string[] {
  return [...known.filter((one) => !more.includes(one)), ...more].slice(-MOST_KEPT);
}

export function textsIn(memory: OpencodeMemory, name: "children" | "userMessages" | "told" | "stale") {
  return listOf(memory[name]).filter((one) => typeof one === "string");
}

export function nativeOf({ native }: OpencodeMemory): string | null {
  return textOf(native ?? undefined) || null;
}

export function isOwn(sessionId: Json | undefined, memory: OpencodeMemory): boolean {
  return typeof sessionId === "string" && sessionId === nativeOf(memory);
}

export function isChild(sessionId: Json | undefined, memory: OpencodeMemory): boolean {
  return typeof sessionId === "string" && textsIn(memory, "children").includes(sessionId);
}

export function bornMsOf({ bornMs }: OpencodeMemory): number {
  return countOf(bornMs) ?? 0;
}

export function openRequests(memory: OpencodeMemory): readonly OpenRequest[] {
  return listOf(memory.requests).flatMap((one) => {
    const { id, kind, tool, input, canLast } = objectOf(one);
    if (typeof id !== "string" || (kind !== "permission" && kind !== "question")) return [];
    return [{ id, kind, tool: textOf(tool), input: objectOf(input), canLast: canLast === true }];
  });
}

export function errorIn({ error }: OpencodeMemory): { name: string; message: string } | null {
  const { name, message } = objectOf(error ?? undefined);
  return typeof name === "string" && typeof message === "string" ? { name, message } : null;
}
