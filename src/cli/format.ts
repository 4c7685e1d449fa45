import { RollcallError } from "../domain/errors.ts";
import { suffixOf } from "../domain/id.ts";
import type { SessionRecord } from "../domain/session.ts";
import { type Instant, parseDuration, parseInstant, toInstant } from "../domain/time.ts";

export const UNKNOWN = "—";

export function shortId(id: string): string {
  return suffixOf(id) ?? id;
}

export function relativeTime(at: Instant | null, now: number): string {
  if (at === null) return UNKNOWN;
  const ms = now - Date.parse(at);
  return ms < 0 ? `in ${duration(-ms)}` : ms < 1000 ? "now" : `${duration(ms)} ago`;
}

export function duration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  const seconds = ms / 1000;
  if (seconds < 1) return `${Math.round(ms)}ms`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export function count(value: number | null): string {
  if (value === null) return UNKNOWN;
  if (value < 10_000) return String(value);
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

export function money(usd: number | null): string {
  return usd === null ? UNKNOWN : `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`;
  return value < 1_000_000_000
    ? `${(value / 1_000_000).toFixed(1)} MB`
    : `${(value / 1_000_000_000).toFixed(1)} GB`;
}

export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

export function percent(share: number | null): string {
  return share === null ? UNKNOWN : `${(share * 100).toFixed(1)} %`;
}

export function agentOf(session: SessionRecord): string {
  if (session.agentName === null) return session.agentType === "unknown" ? UNKNOWN : session.agentType;
  return session.agentType === "unknown" ? session.agentName : `${session.agentName} (${session.agentType})`;
}

/** A moment as people write it: UTC like `2026-01-08T18:05:30Z` or `2026-01-08`, or how long ago, like `2h`. */
export function parseTime(text: string, option: string, now: number): Instant {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  const ago = parseDuration(text);
  if (ago !== undefined) return toInstant(now - ago);
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a time for ${option}.`, {
    hint: "Write UTC like 2026-01-08T18:05:30Z or 2026-01-08, or how long ago, like 90m, 2h or 7d.",
  });
}

export function parseCount(text: string, option: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a number for ${option}.`, {
    hint: "Give a whole number from 1 up.",
  });
}

/** A positive number, or `all`, which is 0 in the library. */
export function parseLimit(text: string): number {
  if (text === "all") return 0;
  try {
    return parseCount(text, "--limit");
  } catch {
    throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a limit.`, {
      hint: "Give a number from 1 up, or `all`.",
    });
  }
}
