import { UNPRICED_MODEL } from "../cost.ts";
import type { RequestTruth } from "../truth.ts";
import { type CodexThread, type Counters, ZERO } from "./thread.ts";

export const MODELS = ["gpt-5", "gpt-5.4", "chosen-model", UNPRICED_MODEL] as const;

/** Writes one request to the model: what it used, and how the counters stand after it. */
export function writeRequest(thread: CodexThread): void {
  const { world } = thread;
  const canFall = thread.hasOwnTotal && thread.total.input > 3000;
  const isReset = canFall && world.lay("codex: falling total (C1)", 0.08);
  const last = isReset ? smallerThan(thread) : newCounters(thread);
  thread.total = isReset ? last : plus(thread.total, last);
  thread.last = last;
  const request = requestOf(thread, last);
  const hasRecord = thread.isUpgraded;
  if (hasRecord) {
    world.traps.add("codex: usage records beside counters");
    thread.add("token_usage_record", usageRecord(thread, last), { request });
  }
  const isLastMissing = thread.hasOwnTotal && !hasRecord && world.lay("codex: last is missing (C1)", 0.12);
  writeCount(thread, isLastMissing ? {} : { last_token_usage: countersRecord(thread, last) }, request);
  thread.hasOwnTotal = true;
}

/** Counters that say nothing new. */
export function writeRepeats(thread: CodexThread): void {
  const { world } = thread;
  if (thread.hasOwnTotal && world.lay("codex: counters again (C1)", 0.25))
    writeCount(thread, { last_token_usage: countersRecord(thread, thread.last) });
  if (world.lay("codex: counters without info", 0.15))
    thread.event("token_count", { info: null, rate_limits: { primary: { used_percent: 3 } } });
}

/** The first counters of a child may be those of its parent, with a last request of zero. */
export function writeInherited(thread: CodexThread): void {
  const { world } = thread;
  if (!world.lay("codex: total of the parent first (C3)", 0.4)) return;
  writeCount(thread, { last_token_usage: countersRecord(thread, ZERO) });
  thread.hasOwnTotal = true;
}

function writeCount(thread: CodexThread, last: Record<string, unknown>, request?: RequestTruth): void {
  const info = {
    total_token_usage: countersRecord(thread, thread.total),
    ...last,
    model_context_window: 258_400,
  };
  thread.event("token_count", { info, rate_limits: null }, request === undefined ? {} : { request });
}

function newCounters({ world, style }: CodexThread): Counters {
  const { random } = world;
  const isLong = world.lay("codex: long context", 0.05);
  const cached = isLong ? 271_000 + random.int(2000) : random.int(50_000);
  const hasWrites = style !== "ancient" && world.lay("codex: cache writes", 0.3);
  const written = hasWrites ? 1 + random.int(5000) : 0;
  const output = 1 + random.int(2000);
  if (cached > 0) world.traps.add("codex: cached input");
  const reasoning = world.lay("codex: reasoning", 0.5) ? random.int(output) : 0;
  return { input: cached + written + 1 + random.int(3000), cached, written, output, reasoning };
}

/** After a reset the total is that of the first request, and no counter is above what it was. */
function smallerThan({ total, world }: CodexThread): Counters {
  const less = (counter: number) => world.random.int(Math.ceil(counter / 3) + 1);
  const [cached, written] = [less(total.cached), less(total.written)];
  const uncached = Math.max(1, less(total.input - total.cached - total.written));
  const input = Math.min(total.input - 1, cached + written + uncached);
  const output = less(total.output);
  return { input, cached, written, output, reasoning: Math.min(output, less(total.reasoning)) };
}

function requestOf(
  thread: CodexThread,
  { input, cached, written, output, reasoning }: Counters,
): RequestTruth {
  return {
    model: thread.style === "ancient" ? null : thread.model,
    at: thread.world.now,
    input: input - cached - written,
    output,
    cacheRead: cached,
    cacheWrite: written,
    cacheWriteHour: 0,
    reasoning,
    webSearches: 0,
    isFast: false,
    reportedNanoUsd: null,
  };
}

function usageRecord(thread: CodexThread, last: Counters): Record<string, unknown> {
  return {
    thread_id: thread.id,
    response_id: `resp_${thread.world.hex(16)}`,
    usage: countersRecord(thread, last),
    turn_token_usage: countersRecord(thread, thread.total),
    thread_token_usage: countersRecord(thread, thread.total),
  };
}

function countersRecord(thread: CodexThread, counters: Counters): Record<string, number> {
  const { input, cached, written, output, reasoning } = counters;
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    ...(thread.style === "ancient" ? {} : { cache_write_input_tokens: written }),
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    ...(thread.hasTotalTokens ? { total_tokens: input + output } : {}),
  };
}

function plus(a: Counters, b: Counters): Counters {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    written: a.written + b.written,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}
