import { checkOneOf, checkText } from "../check.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Instant } from "../time.ts";

export const ENTRY_KINDS = ["text", "thinking", "tool_call", "tool_result", "notice"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export const ENTRY_ROLES = ["system", "user", "assistant", "tool"] as const;
export type EntryRole = (typeof ENTRY_ROLES)[number];

export interface EntryTool {
  readonly name: string;
  readonly callId?: string;
  readonly params?: Json;
  readonly result?: Json;
  /** The agent says that the call failed. Results alone have it. */
  readonly isError?: true;
  readonly governanceResult?: Json;
}

/** The name of a notice that a turn was stopped by a person. */
export const INTERRUPTED = "interrupted";

/** One item of the transcript, before the store has given it a place. */
export interface NewEntry {
  readonly role: EntryRole;
  readonly kind: EntryKind;
  readonly text: string | null;
  readonly tool: EntryTool | null;
  /** The speaker, where a role alone does not say; of a notice, its subject. */
  readonly name?: string;
  /** The calls that a message of the assistant announces. */
  readonly toolCalls?: readonly JsonObject[];
}

export interface Entry extends NewEntry {
  readonly seq: number;
  readonly at: Instant;
  /** A person took the conversation back to before it. */
  readonly isRewound?: true;
}

/** 64 MB of text is no entry any more. */
const TEXT_LIMIT = 64_000_000;

export function checkEntry(entry: NewEntry): NewEntry {
  checkOneOf(ENTRY_ROLES, entry.role, "role");
  checkOneOf(ENTRY_KINDS, entry.kind, "kind of entry");
  if (entry.text !== null) checkText(entry.text, "text", TEXT_LIMIT);
  // A copy: what the caller does with parameters and results afterwards changes nothing here.
  return JSON.parse(JSON.stringify(entry)) as NewEntry;
}
