import { RollcallError } from "../errors.ts";
import type { Instant } from "../time.ts";

const ALLOWED = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const MADE_HERE = /^session-\d{8}-\d{6}-([0-9a-f]{6})$/;
/** Words that stand for a session on the command line, and so can never be one's id. */
const RESERVED = ["last", "self"];

/** `session-YYYYMMDD-HHMMSS-xxxxxx`, from the time in UTC and six random hex digits. */
export function makeSessionId(at: Instant, sixHexDigits: string): string {
  const [date, time] = at.split("T") as [string, string];
  return `session-${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${sixHexDigits}`;
}

export function isSessionId(id: string): boolean {
  return ALLOWED.test(id) && !id.includes("..") && !RESERVED.includes(id);
}

/** Refuses an id before it reaches any file or table. */
export function checkSessionId(id: string): string {
  if (isSessionId(id)) return id;
  throw new RollcallError("bad_id", `${quote(id)} cannot be a session id.`, {
    hint: "Use 1 to 128 letters, digits, dots, dashes or underscores, beginning with a letter or digit, without `..`; `last` and `self` are taken.",
  });
}

/** The six digits that tables show for an id made by Rollcall; undefined for one that the caller brought. */
export function suffixOf(id: string): string | undefined {
  return MADE_HERE.exec(id)?.[1];
}

export function isSuffix(text: string): boolean {
  return /^[0-9a-f]{6}$/.test(text);
}

/** Anything that could be a path or an option, or that a terminal would act upon. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f/\\]|\.\.|^-|^\s|\s$/;

/** Refuses a name that could not be used to call a session, and a reference that cannot be one. */
export function checkReference(text: string, what: "name" | "id"): string {
  const isUsable = text.length > 0 && text.length <= 128 && !UNSAFE.test(text);
  if (isUsable && !(what === "name" && (text === "last" || text === "self"))) return text;
  throw new RollcallError(
    "bad_id",
    `${JSON.stringify(text.slice(0, 60))} cannot be the ${what} of a session.`,
    {
      hint:
        what === "name"
          ? "Use 1 to 128 characters without slashes, `..`, control characters, a dash before it or blanks around it; `last` and `self` are taken."
          : "Give the full id, the six digits that `rollcall list` shows, a name, `last` or `self`.",
    },
  );
}

function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return JSON.stringify(short);
}
