import type { JsonObject } from "../../domain/json.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { objectOf, textOf } from "../json-lines.ts";
import { errorIn, type OpencodeMemory, openRequests } from "./memory.ts";
import { askedOf } from "./requests.ts";

const ABORTED = "MessageAbortedError";

export function workingSignal(rule: string, excerpt: string | null = null): Signal {
  return { source: "protocol", rule, excerpt, says: "working" };
}

/** It works, unless it asks: its status is `busy` for both. */
export function busySignal(rule: string, memory: OpencodeMemory): Signal {
  const [request] = openRequests(memory);
  if (request === undefined) return workingSignal(rule);
  return {
    source: "protocol",
    rule: `${request.kind}_asked`,
    excerpt: null,
    says: "asking",
    asked: askedOf(request),
  };
}

/** At rest. How the turn went is in the memory; nothing is told of a turn that had no answer. */
export function readySignal(rule: string, memory: OpencodeMemory): Signal {
  const error = errorIn(memory);
  const ready = { source: "protocol", rule, excerpt: null, says: "ready" } as const;
  if (error !== null && error.name !== ABORTED) return { ...ready, turn: "failed", excerpt: error.message };
  const finish = textOf(memory.finish ?? undefined);
  if (error === null && finish === null) return ready;
  // A denial without a reason stops it before it asks its model again.
  return { ...ready, turn: error !== null || finish === "tool-calls" ? "aborted" : "good" };
}

/** The error of a message or an event; undefined where there is none. */
export function errorOf(error: JsonObject): { readonly name: string; readonly message: string } | undefined {
  const name = textOf(error.name);
  return name === null ? undefined : { name, message: textOf(objectOf(error.data).message) ?? name };
}

export function isAborted(name: string): boolean {
  return name === ABORTED;
}
