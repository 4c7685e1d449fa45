import { RollcallError } from "../../domain/errors.ts";
import { type Instant, parseDuration, parseInstant, toInstant } from "../../domain/time.ts";

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
