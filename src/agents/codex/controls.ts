import { RollcallError } from "../../domain/errors.ts";
import type { Kind, Waiting } from "../../domain/session/session.ts";
import type { Controls, Keystrokes, Target } from "../agent.ts";
import { boxIn } from "./box.ts";
import { dialogPattern } from "./dialog-pattern.ts";
import { answerId, request as line, message, sayingId, userInput } from "./protocol.ts";
import { choosing } from "./questions.ts";

const ESCAPE = "\u001b";
/** Each takes out what stands before the cursor in its line, or behind it; then the end of that line. */
const TO_START = "\u0015";
const TO_END = "\u000b";
const LEAVE = "\u0004";

/** What Codex takes: keys of its terminal, or messages of its app server. */
export const controls: Controls = {
  say: (to, text) =>
    by(to.kind, {
      interactive: () => ({ bytes: pasted(text), more: ["\r"] }),
      // In mid-turn the running turn takes it.
      autonomous: () => said(line(sayingId(text), "turn/start", { ...threadOf(to), input: userInput(text) })),
    }),
  approve: (to, request) =>
    by(to.kind, {
      interactive: () => approved(request),
      autonomous: () => decided(request, "accept"),
    }),
  approveAlways: (to, request) =>
    by(to.kind, {
      interactive: () => approvedForGood(request),
      autonomous: () => decided(request, "acceptForSession"),
    }),
  deny: (to, request, reason) =>
    by(to.kind, {
      interactive: () => denied(request, reason),
      autonomous: () => declined(to, request, reason),
    }),
  answer: ({ kind }, request, choice) => {
    if (kind !== "interactive") return undefined;
    return request.for === "question" ? choosing(request, choice) : chosen(request, choice);
  },
  interrupt: (to) =>
    by(to.kind, {
      interactive: () => ({ bytes: ESCAPE }),
      autonomous: () => interrupted(to),
    }),
  // At a terminal it leaves an empty prompt; the app server leaves in order when it is signalled.
  stop: ({ kind }) =>
    kind === "interactive" ? { bytes: ESCAPE, more: [TO_START + TO_END + LEAVE] } : undefined,
  emptyBox: (screen) => {
    const lines = boxIn(screen);
    return lines === 0 ? undefined : TO_START.repeat(2 * lines) + TO_END.repeat(2 * lines);
  },
};

type Either = Readonly<Record<"interactive" | "autonomous", () => Keystrokes | undefined>>;

function by(kind: Kind, either: Either): Keystrokes | undefined {
  return kind === "acp" ? undefined : either[kind]();
}

/** A name of a file or skill at the end of a text, for which Codex offers a choice that would take the Enter. */
const NAME_AT_END = /(?:^|\s)[@$]\S*$/;

/** So that a newline in it does not send it. A blank behind a name closes what Codex offers for it. */
function pasted(text: string): string {
  const typed = text.replaceAll(ESCAPE, "");
  return `${ESCAPE}[200~${typed}${NAME_AT_END.test(typed) ? " " : ""}${ESCAPE}[201~`;
}

function approved(request: Waiting): Keystrokes | undefined {
  if (request.for === "trust") return { bytes: "\r", onScreen: "^› 1\\. Trust and continue" };
  const onScreen = request.for === "permission" ? dialogPattern(request) : undefined;
  return onScreen === undefined ? undefined : { bytes: "y", onScreen };
}

/** Its keys differ: one for commands that begin alike, one for the same files. */
function approvedForGood(request: Waiting): Keystrokes | undefined {
  const onScreen = request.for === "permission" ? dialogPattern(request) : undefined;
  if (onScreen === undefined) return undefined;
  const key = request.tool === "apply_patch" ? "a" : "p";
  return { bytes: key, onScreen: `${onScreen}[^\\n]*\\n\\s+2\\. Yes, and don't ask again` };
}

/** It ends the turn, and asks what to do differently. */
function denied(request: Waiting, reason: string | null): Keystrokes | undefined {
  if (request.for === "trust" && reason !== null)
    throw new RollcallError("not_offered", "Codex's dialog has no place for a reason; nothing was sent.", {
      hint: "Deny without --reason.",
    });
  if (request.for === "trust") return { bytes: "2", onScreen: "^\\s+2\\. Quit$" };
  if (request.for !== "permission") return undefined;
  const onScreen = dialogPattern(request) ?? "Press enter to confirm or esc to cancel";
  const next = reason === null || reason.trim() === "" ? {} : { more: [pasted(reason), "\r"] };
  return { bytes: ESCAPE, ...next, onScreen };
}

interface Choices {
  readonly onScreen: string;
  /** Those that change nothing but this start, with their keys. */
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

function chosen({ for: what, question }: Waiting, choice: string): Keystrokes | undefined {
  if (what !== "dialog") return undefined;
  const dialog = DIALOGS.find(({ onScreen }) => new RegExp(onScreen, "mu").test(`  ${question?.trim()}`));
  if (!dialog) return undefined;
  const bytes = Object.hasOwn(dialog.keys, choice) ? dialog.keys[choice] : undefined;
  if (bytes !== undefined) return { bytes, onScreen: dialog.onScreen };
  throw new RollcallError("bad_input", `${JSON.stringify(choice)} cannot be chosen from outside.`, {
    hint: `Valid: ${Object.keys(dialog.keys).join(", ")}; for anything else use \`rollcall attach\`.`,
  });
}

function threadOf({ nativeId, notes }: Target): { readonly threadId: string } {
  return { threadId: notes.thread ?? nativeId ?? "" };
}

function said(bytes: string): Keystrokes {
  return { bytes };
}

function decided(
  { for: what, requestId }: Waiting,
  decision: "accept" | "acceptForSession" | "decline",
): Keystrokes | undefined {
  const id = answerId(requestId);
  return what !== "permission" || id === undefined ? undefined : said(message({ id, result: { decision } }));
}

/** The turn goes on, and takes the reason up. */
function declined(to: Target, request: Waiting, reason: string | null): Keystrokes | undefined {
  const keys = decided(request, "decline");
  if (!keys || reason === null || reason.trim() === "" || to.notes.turn === undefined) return keys;
  const params = { ...threadOf(to), input: userInput(reason), expectedTurnId: to.notes.turn };
  // Told first, it is there when the turn goes on.
  return { bytes: line("reason", "turn/steer", params), more: [keys.bytes] };
}

function interrupted(to: Target): Keystrokes | undefined {
  const { turn } = to.notes;
  if (turn === undefined) return undefined;
  return said(line("interrupt", "turn/interrupt", { ...threadOf(to), turnId: turn }));
}
