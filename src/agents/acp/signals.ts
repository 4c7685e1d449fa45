import { AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import type { Parsed } from "../parsed.ts";
import { type AcpMemory, type Pending, promptInWork } from "./memory.ts";

type Turn = "good" | "aborted" | "failed";

export function workingSignal(rule: string): Signal {
  return { source: "protocol", rule, excerpt: null, says: "working" };
}

/** At its prompt; `turn` is how the turn before went. */
export function readySignal(rule: string, turn?: Turn, excerpt: string | null = null): Signal {
  return { source: "protocol", rule, excerpt, says: "ready", ...(turn === undefined ? {} : { turn }) };
}

/** The request that a person is asked for: the oldest one. */
export function askSignal({ requestId, tool, input, question, options }: Pending): Signal {
  const asked = { ...AT_PROMPT, for: "permission", requestId, tool, input } as const;
  const names = options.map(({ name }) => name);
  return {
    ...{ source: "protocol", rule: "permission_requested", excerpt: question || tool, says: "asking" },
    asked: { ...asked, question: question || null, options: names.length === 0 ? null : names },
  };
}

/** No conversation can be had: a person has to log in, or to end the session. */
export function refusedParsed(why: string, what: "login" | "dialog" = "dialog"): Parsed<AcpMemory> {
  const asked = { ...AT_PROMPT, for: what, question: why };
  const rule = what === "login" ? "login_required" : "conversation_refused";
  return {
    signal: { source: "protocol", rule, excerpt: why, says: "asking", asked },
    entries: [noticeEntry(why)],
  };
}

/** The signal once these requests are left: the agent asks the next one, works on, or rests. */
export function afterAnswer(
  rest: readonly Pending[],
  rule: string,
  memory: AcpMemory,
): { readonly signal: Signal; readonly memory: AcpMemory } {
  const [next] = rest;
  const signal =
    next !== undefined
      ? askSignal(next)
      : promptInWork(memory) === null
        ? readySignal(rule)
        : workingSignal(rule);
  return { signal, memory: { pending: rest } };
}

export function noticeEntry(text: string, name?: string): NewEntry {
  return { role: "system", kind: "notice", text, tool: null, ...(name === undefined ? {} : { name }) };
}
