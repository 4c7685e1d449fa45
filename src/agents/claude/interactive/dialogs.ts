import { RollcallError } from "../../../domain/errors.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Key, Keys } from "../../deed.ts";
import { pasteBytes } from "../../paste.ts";

const ESCAPE = "\u001b";
const UP = "\u001b[A";
const DOWN = "\u001b[B";

/** Its first choice is always the plain yes, and the last one is no. */
const YES = "^ ❯ 1\\. Yes$";
const PLAN = "Would you like to proceed\\?$[\\s\\S]*^ +2\\. Yes, manually approve edits$";
/** It stands on "No": one key, and Enter says yes. */
const TRUST = "^ ❯ No, exit$\\n^ +Yes, I trust this folder$";

const TRUSTING = "^ +No, exit$\\n^ ❯ Yes, I trust this folder$";
const REFUSING = "^ ❯ \\d\\. No";

/** This many characters of a call are looked for on the screen, in one line of it. */
const SHOWN_CHARS = 40;

export function approveKeys(request: Waiting): Keys | undefined {
  if (request.for === "trust")
    return { via: "keys", bytes: DOWN, more: [{ bytes: "\r", onScreen: TRUSTING }], onScreen: TRUST };
  if (request.for !== "permission") return undefined;
  // Its first choice would stop asking for anything.
  if (isPlan(request)) return { via: "keys", bytes: "2", onScreen: PLAN };
  return { via: "keys", bytes: "1", onScreen: `${dialogPattern(request)}${YES}` };
}

/** Only "don't ask again" is meant: its other choices would stop asking for much more. */
export function approveAlwaysKeys(request: Waiting): Keys | undefined {
  if (request.for !== "permission" || isPlan(request)) return undefined;
  const onScreen = `${dialogPattern(request)}${YES}\\n^ +2\\. Yes, and don['’]t ask again for:? `;
  return { via: "keys", bytes: "2", onScreen };
}

/** Without a reason Escape is pressed, which ends the turn. */
export function denyKeys(request: Waiting, reason: string | null): Keys | undefined {
  if (request.for === "trust")
    return reason === null ? { via: "keys", bytes: ESCAPE, onScreen: TRUST } : refuseReason();
  if (request.for !== "permission") return undefined;
  const onScreen = isPlan(request) ? PLAN : `${dialogPattern(request)}${YES}`;
  if (reason === null) return { via: "keys", bytes: ESCAPE, onScreen };
  if (isPlan(request)) return { via: "keys", bytes: "3", more: [pasteBytes(reason), "\r"], onScreen };
  return { via: "keys", bytes: UP, more: amendKeys(reason), onScreen: `${onScreen}[\\s\\S]*Tab to amend` };
}

/** Behind a key that was dropped, the next ones would amend the yes. */
function amendKeys(reason: string): readonly Key[] {
  return [
    { bytes: "\t", onScreen: `${REFUSING}$` },
    { bytes: pasteBytes(reason), onScreen: `${REFUSING}, and tell Claude what to do differently$` },
    { bytes: "\r", onScreen: `${REFUSING}, ${shownPattern(reason)}` },
  ];
}

function refuseReason(): never {
  throw new RollcallError("not_offered", "Claude's dialog has no place for a reason; nothing was sent.", {
    hint: "Deny without --reason.",
  });
}

/** A pattern for just these characters, cut where the screen might break the text or secrets were taken out of it. */
export function shownPattern(text: string, mostChars: number = SHOWN_CHARS): string {
  const [line = ""] = text.split(/[\t\n\r]|\[REDACTED:/u);
  return [...line]
    .slice(0, mostChars)
    .join("")
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
}

function isPlan({ tool }: Waiting): boolean {
  return tool === "ExitPlanMode";
}

/** A pattern for this very dialog, as far as one screen can hold it; the rest of it may be above. */
function dialogPattern({ tool, input }: Waiting): string {
  const about = shownPattern(aboutOf(tool, input ?? {}));
  return about === "" ? "" : `${BEFORE[tool ?? ""] ?? ""}${about}[\\s\\S]*`;
}

const BEFORE: Readonly<Record<string, string>> = {
  Bash: "^╌+$\\n^ (?:│ )?",
  Write: "^ Do you want to [^\\n]*",
  Edit: "^ Do you want to [^\\n]*",
  WebFetch: "^ url: ",
};

function aboutOf(tool: string | null, { command, file_path, url }: JsonObject): string {
  // The beginning of a long command is above the screen.
  if (tool === "Bash" && typeof command === "string")
    return command.length > LONG_CHARS ? "" : firstLines(command);
  if ((tool === "Write" || tool === "Edit") && typeof file_path === "string")
    return file_path.slice(file_path.lastIndexOf("/") + 1);
  return tool === "WebFetch" && typeof url === "string" ? url : "";
}

const LONG_CHARS = 500;
const MOST_LINES = 8;

function firstLines(command: string): string {
  return command.split("\n").length > MOST_LINES ? "" : command;
}
