import { RollcallError } from "../../../domain/errors.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Controls, Keys } from "../../deed.ts";
import { pasteBytes } from "../../paste.ts";
import type { CodexMemory } from "../memory.ts";
import { typedLines } from "./box.ts";
import { dialogPattern } from "./dialog-pattern.ts";
import { answerKeys } from "./questions.ts";

const ESCAPE = "\u001b";
/** Each deletes the part of a line before the cursor, or behind it; then the end of that line. */
const TO_START = "\u0015";
const TO_END = "\u000b";
const LEAVE = "\u0004";

/** Keys for the prompt box and the dialogs of its terminal. */
export const controls: Controls<CodexMemory> = {
  say: (_, text) => ({ via: "keys", bytes: textBytes(text), more: ["\r"] }),
  approve: (_, request) => approveKeys(request),
  approveAlways: (_, request) => approveAlwaysKeys(request),
  deny: (_, request, reason) => denyKeys(request, reason),
  answer: (_, request, choice) =>
    request.for === "question" ? answerKeys(request, choice) : dialogKeys(request, choice),
  interrupt: () => ({ via: "keys", bytes: ESCAPE }),
  // Codex leaves an empty prompt.
  stop: () => ({ via: "keys", bytes: ESCAPE, more: [TO_START + TO_END + LEAVE] }),
  emptyBox: (screen) => {
    const count = 2 * typedLines(screen);
    return count === 0 ? undefined : TO_START.repeat(count) + TO_END.repeat(count);
  },
};

/** A name of a file or skill at the end of a text, for which Codex offers a choice that would take the Enter. */
const NAME_AT_END = /(?:^|\s)[@$]\S*$/;

/** A blank behind a name closes the choice that Codex offers for it. */
function textBytes(text: string): string {
  const typed = text.replaceAll(ESCAPE, "");
  return pasteBytes(NAME_AT_END.test(typed) ? `${typed} ` : typed);
}

function approveKeys(request: Waiting): Keys | undefined {
  if (request.for === "trust") return { via: "keys", bytes: "\r", onScreen: "^› 1\\. Trust and continue" };
  const onScreen = request.for === "permission" ? dialogPattern(request) : undefined;
  return onScreen === undefined ? undefined : { via: "keys", bytes: "y", onScreen };
}

/** Its keys differ: one for commands that begin alike, one for the same files. */
function approveAlwaysKeys(request: Waiting): Keys | undefined {
  const onScreen = request.for === "permission" ? dialogPattern(request) : undefined;
  if (onScreen === undefined) return undefined;
  const bytes = request.tool === "apply_patch" ? "a" : "p";
  return { via: "keys", bytes, onScreen: `${onScreen}[^\\n]*\\n\\s+2\\. Yes, and don't ask again` };
}

/** A denial ends the turn, and Codex asks what to do differently. */
function denyKeys(request: Waiting, reason: string | null): Keys | undefined {
  if (request.for === "trust" && reason !== null)
    throw new RollcallError("not_offered", "Codex's dialog has no place for a reason; nothing was sent.", {
      hint: "Deny without --reason.",
    });
  if (request.for === "trust") return { via: "keys", bytes: "2", onScreen: "^\\s+2\\. Quit$" };
  if (request.for !== "permission") return undefined;
  const onScreen = dialogPattern(request) ?? "Press enter to confirm or esc to cancel";
  const next = reason === null || reason.trim() === "" ? {} : { more: [textBytes(reason), "\r"] };
  return { via: "keys", bytes: ESCAPE, ...next, onScreen };
}

interface Choices {
  readonly onScreen: string;
  /** The choices that change nothing but this start, with their keys. */
  readonly keys: Readonly<Record<string, string>>;
}

const DIALOGS: readonly Choices[] = [
  { onScreen: "^  Hooks need review", keys: { "3": "3", "Continue without trusting": "3" } },
  {
    onScreen: "^  Update available",
    keys: { "2": "2", Skip: "2", "3": "3", "Skip until next version": "3" },
  },
  { onScreen: "^  Background server has", keys: { "1": "1", "Run without daemon this time": "1" } },
];

function dialogKeys({ for: what, question }: Waiting, choice: string): Keys | undefined {
  if (what !== "dialog") return undefined;
  const dialog = DIALOGS.find(({ onScreen }) => new RegExp(onScreen, "mu").test(`  ${question?.trim()}`));
  if (!dialog) return undefined;
  const bytes = Object.hasOwn(dialog.keys, choice) ? dialog.keys[choice] : undefined;
  if (bytes !== undefined) return { via: "keys", bytes, onScreen: dialog.onScreen };
  throw new RollcallError("bad_input", `${JSON.stringify(choice)} cannot be chosen from outside.`, {
    hint: `Valid: ${Object.keys(dialog.keys).join(", ")}; for anything else use \`rollcall attach\`.`,
  });
}
