import { RollcallError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Waiting } from "../../domain/session/session.ts";
import type { Keystroke, Keystrokes } from "../agent.ts";

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

/** So much of what a call is about is looked for on the screen, in one line of it. */
const SHOWN_CHARS = 40;

export function approval(request: Waiting): Keystrokes | undefined {
  if (request.for === "trust")
    return { bytes: DOWN, more: [{ bytes: "\r", onScreen: TRUSTING }], onScreen: TRUST };
  if (request.for !== "permission") return undefined;
  // Its first choice would stop asking for anything.
  if (isPlan(request)) return { bytes: "2", onScreen: PLAN };
  return { bytes: "1", onScreen: `${dialogOf(request)}${YES}` };
}

/** Only "don't ask again" is meant: its other choices would stop asking for much more. */
export function lastingApproval(request: Waiting): Keystrokes | undefined {
  if (request.for !== "permission" || isPlan(request)) return undefined;
  return { bytes: "2", onScreen: `${dialogOf(request)}${YES}\\n^ +2\\. Yes, and don['’]t ask again for:? ` };
}

/** Without a reason the turn is over, as for who presses Escape. */
export function refusal(request: Waiting, reason: string | null): Keystrokes | undefined {
  if (request.for === "trust") return reason === null ? { bytes: ESCAPE, onScreen: TRUST } : noReason();
  if (request.for !== "permission") return undefined;
  const onScreen = isPlan(request) ? PLAN : `${dialogOf(request)}${YES}`;
  if (reason === null) return { bytes: ESCAPE, onScreen };
  if (isPlan(request)) return { bytes: "3", more: [pasted(reason), "\r"], onScreen };
  return { bytes: UP, more: amending(reason), onScreen: `${onScreen}[\\s\\S]*Tab to amend` };
}

/** Behind a key that was dropped, the next ones would amend the yes. */
function amending(reason: string): readonly Keystroke[] {
  return [
    { bytes: "\t", onScreen: `${REFUSING}$` },
    { bytes: pasted(reason), onScreen: `${REFUSING}, and tell Claude what to do differently$` },
    { bytes: "\r", onScreen: `${REFUSING}, ${shown(reason)}` },
  ];
}

function noReason(): never {
  throw new RollcallError("not_offered", "Claude's dialog has no place for a reason; nothing was sent.", {
    hint: "Deny without --reason.",
  });
}

/** As a paste, so that a newline in it does not send it. */
export function pasted(text: string): string {
  return `\u001b[200~${text.replaceAll("\u001b", "")}\u001b[201~`;
}

/** As a pattern that means just these characters, cut where the screen might break it or secrets were taken out. */
export function shown(text: string, mostChars: number = SHOWN_CHARS): string {
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

/** What names this very dialog, as far as one screen can hold it; the rest of it may be above. */
function dialogOf({ tool, input }: Waiting): string {
  const about = shown(aboutOf(tool, input ?? {}));
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
