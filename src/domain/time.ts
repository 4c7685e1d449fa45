/** A moment as text: ISO-8601, UTC, milliseconds, `Z`. Two of them compare as strings. */
export type Instant = string;

/** Our own form, on a day that every month has. */
const INSTANT = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(?:Z|\+00:00)?$/;
const DURATION = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const UNIT_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1] as const;

/** Before 1970 and after 9999 texts would no longer compare as times do: sums that go there stop at the border. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function toInstant(ms: number): Instant {
  if (ms !== lastMs) {
    lastInstant = new Date(Math.min(Math.max(ms, 0), LAST_MS)).toISOString();
    lastMs = ms;
  }
  return lastInstant;
}

/** Much happens in the same millisecond, and writing a date out takes a while. */
let lastMs = Number.NaN;
let lastInstant: Instant = "";

/** The instant that a text means, or undefined: it may end in `Z`, `+00:00` or nothing, all of them UTC. */
export function parseInstant(text: string): Instant | undefined {
  // Nearly every time is in our own form already, which takes a tenth of the time to tell.
  return INSTANT.test(text) ? text : parseDateTime(text);
}

function parseDateTime(text: string): Instant | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const fraction = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const ms = Date.UTC(year as number, (month as number) - 1, day, hour, minute, second, fraction);
  const date = new Date(ms);
  const isReal =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === (month as number) - 1 &&
    date.getUTCDate() === day;
  return isReal && hour < 24 && minute < 60 && second < 60 ? date.toISOString() : undefined;
}

/** Milliseconds of `90s`, `1h30m`, `2d`, `500ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = text === "" ? null : DURATION.exec(text);
  if (!match) return undefined;
  return UNIT_MS.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
}

/** More than anyone means. */
export const LONGEST_DURATION_MS = 365 * 86_400_000;

/** A timer that is set for longer than this fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** As long as a timer can be set for it; who waits longer looks again. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}

export function msBetween(from: Instant, to: Instant): number {
  return Date.parse(to) - Date.parse(from);
}

export function later(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}
