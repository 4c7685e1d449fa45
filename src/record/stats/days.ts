import type { Instant } from "../../domain/time.ts";

/** Days of a time zone. */
export interface Days {
  /** Its name, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** The day that a moment lies in, such as `2026-01-08`. */
  dayOf(at: Instant): string;
}

export function daysOf(zone: "local" | "utc"): Days {
  if (zone === "utc") return { timeZone: "UTC", dayOf: (at) => at.slice(0, 10) };
  return { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, dayOf: localDay };
}

function localDay(at: Instant): string {
  const date = new Date(at);
  const digits = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;
}
