import type { Json, JsonObject } from "../../../domain/json.ts";

export const VERSION = "1.0.0";

/** One request to the model, with what it used. Null is "not measured". */
export interface ModelRequest {
  readonly request_key: string;
  readonly time: string;
  readonly model: string | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
  readonly reasoning: number | null;
  readonly cost_usd: number | null;
}

export type TurnResult = "good" | "failed" | "aborted";

/** One item of the transcript and of the stream, which use the same words. */
export type Item =
  | { readonly type: "user" | "assistant" | "thinking"; readonly text: string }
  /** Said in mid-turn; it waits for a turn of its own. */
  | { readonly type: "queued"; readonly text: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly params: JsonObject }
  | { readonly type: "tool_result"; readonly id: string; readonly name: string; readonly result: Json }
  /** The usage of a request in mid-turn; the result of the turn says it again. */
  | { readonly type: "usage"; readonly usage: readonly ModelRequest[] }
  | {
      readonly type: "result";
      readonly turn: TurnResult;
      readonly text: string;
      readonly usage: readonly ModelRequest[];
    };

export type Request = { readonly request_id: string } & (
  | { readonly kind: "permission"; readonly tool: string; readonly input: JsonObject }
  | { readonly kind: "question"; readonly question: string; readonly options: readonly string[] | null }
);

export type Answer =
  | { readonly decision: "approve"; readonly always?: true }
  | { readonly decision: "deny"; readonly reason: string | null }
  | { readonly choice: string };

export function now(): string {
  return new Date().toISOString();
}
