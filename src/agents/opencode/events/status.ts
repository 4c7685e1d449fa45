import type { JsonObject } from "../../../domain/json.ts";
import { textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { type OpencodeMemory, openRequests, textsIn, withNewest } from "../memory.ts";
import { busySignal, readySignal } from "../signals.ts";

/** A rest before the end of the answer is told again, with the end: until then it counts only if nothing follows. */
const NOT_LAST_MS = 2000;

/** Nothing is known yet of a turn. */
export const NOT_BEGUN = {
  isBusy: false,
  hasText: false,
  finish: null,
  error: null,
} as const satisfies OpencodeMemory;

/** `idle`, `busy`, or `retry` with what went wrong. */
export function parseStatus({ type, message }: JsonObject, memory: OpencodeMemory): Parsed<OpencodeMemory> {
  if (type === "idle") return parseRest(memory);
  if (type !== "busy" && type !== "retry") return {};
  const begun = memory.isBusy === true ? {} : NOT_BEGUN;
  const signal = busySignal(`status_${type}`, memory);
  return {
    signal: type === "retry" && signal.says === "working" ? { ...signal, excerpt: textOf(message) } : signal,
    memory: { ...begun, isBusy: true },
  };
}

/** An interrupted or failed turn comes to rest twice: before the end of its answer is told, and after it. */
export function parseRest(memory: OpencodeMemory): Parsed<OpencodeMemory> {
  const signal = readySignal("status_idle", memory);
  const isLast = textOf(memory.openAnswer ?? undefined) === null;
  const requests = openRequests(memory);
  return {
    signal: isLast ? signal : { ...signal, settleMs: NOT_LAST_MS },
    memory: {
      isBusy: false,
      hasText: false,
      // A call that is not carried out by the end of a turn hangs for ever.
      ...(textOf(memory.firstMessage ?? undefined) === null ? {} : { isAskedAgain: false }),
      ...(isLast ? {} : { openAnswer: null }),
      requests: [],
      stale: withNewest(textsIn(memory, "stale"), ...requests.map(({ id }) => id)),
    },
  };
}
