import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { objectOf, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { errorText } from "./error-text.ts";
import { type AcpMemory, partOf, promptInWork } from "./memory.ts";
import { behindPart } from "./parts.ts";
import { REQUEST_CANCELLED } from "./protocol.ts";
import { noticeEntry, readySignal } from "./signals.ts";
import type { Dialect } from "./stream.ts";
import { untoldCalls } from "./tool-calls.ts";
import { modelsOf, totalsOfTurn, usageOfTurn } from "./usage.ts";

/** How a turn went; `result` undefined where the agent gives a reason that nobody knows. */
interface Over {
  readonly result?: "good" | "aborted" | "failed";
  readonly why: string | null;
  /** The reason is an error that stands nowhere else. */
  readonly isError?: true;
}

const FAILURES: Readonly<Record<string, string>> = {
  refusal: "The agent refused to go on.",
  max_tokens: "The answer was cut off at the most tokens that it may have (max_tokens).",
  max_turn_requests: "The turn was cut off at the most requests that it may make (max_turn_requests).",
};

/** The answer to a text of ours: its turn is over. */
export function parsePromptAnswer(
  message: JsonObject,
  memory: AcpMemory,
  { besideTranscript }: Dialect,
): Parsed<AcpMemory> {
  const id = promptInWork(memory);
  if (id === null || message.id !== id) return {};
  const over = overOf(message, memory);
  const result = objectOf(message.result);
  const { rows, memory: counted } = usageOfTurn(id, result, memory);
  const [model, ...others] = modelsOf(result);
  const notices = over.isError && over.why !== null ? [noticeEntry(over.why)] : [];
  const entries = [...untoldCalls(memory), ...notices];
  return behindPart(memory, {
    ...(model === undefined || others.length > 0 ? {} : { identity: { model } }),
    ...(entries.length === 0 ? {} : { entries }),
    ...(besideTranscript ? totalsOfTurn(rows, besideTranscript) : {}),
    ...(rows.length === 0 || besideTranscript ? {} : { untimedUsage: rows }),
    memory: { ...counted, prompt: null, pending: [], calls: {}, isCancelled: false, hasFailed: false },
    signal: readySignal("prompt_answered", over.result, over.result === "failed" ? over.why : null),
  });
}

function overOf({ result, error }: JsonObject, memory: AcpMemory): Over {
  const isCancelled = memory.isCancelled === true;
  if (isJsonObject(error)) {
    if (isCancelled || error.code === REQUEST_CANCELLED) return { result: "aborted", why: null };
    return { result: "failed", why: errorText(error), isError: true };
  }
  const reason = textOf(objectOf(result).stopReason) ?? "";
  // Some agents end a cancelled turn as any other.
  if (reason === "cancelled" || (reason === "end_turn" && isCancelled))
    return { result: "aborted", why: null };
  const failure = Object.hasOwn(FAILURES, reason) ? FAILURES[reason] : undefined;
  if (failure !== undefined) return { result: "failed", why: failure, isError: true };
  if (reason !== "end_turn") return { why: null };
  if (memory.hasFailed !== true) return { result: "good", why: null };
  return { result: "failed", why: partOf(memory)?.text.trim() ?? "The agent gave no reason." };
}
