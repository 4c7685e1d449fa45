import { namedType } from "../domain/session/agent-type.ts";
import { suffixOf } from "../domain/session/id.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import type { Instant } from "../domain/time.ts";

export const UNKNOWN = "—";

export function shortId(id: string): string {
  return suffixOf(id) ?? id;
}

export function relativeTime(at: Instant | null, now: number): string {
  if (at === null) return UNKNOWN;
  const ms = now - Date.parse(at);
  return ms < 0 ? `in ${duration(-ms)}` : ms < 1000 ? "now" : `${duration(ms)} ago`;
}

/** A duration of which parts of a second do not count. */
export function age(ms: number): string {
  return ms < 1000 ? "now" : duration(ms);
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

/** The same in a column: three digits and a letter at most. */
export function shortBytes(value: number): string {
  if (value < 1_000_000) return `${Math.round(value / 1000)}k`;
  return value < 999_500_000 ? `${Math.round(value / 1_000_000)}M` : `${(value / 1_000_000_000).toFixed(1)}G`;
}

export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

export function percent(share: number | null): string {
  return share === null ? UNKNOWN : `${(share * 100).toFixed(1)} %`;
}

/** Percent of one processor; more than 100 where several are busy. */
export function percentOf(percent: number | null): string {
  return percent === null ? UNKNOWN : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}

export function agentOf(session: SessionRecord): string {
  const type = namedType(session.agentType);
  if (session.agentName === null) return type ?? UNKNOWN;
  return type === null ? session.agentName : `${session.agentName} (${type})`;
}
