import { RollcallError } from "../../../domain/errors.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Controls, Key, Keys } from "../../deed.ts";
import { pasteBytes } from "../../paste.ts";
import type { GeminiMemory } from "../memory.ts";
import { TYPED_BOX, typedLines } from "./box.ts";

const ESCAPE = "\u001b";
/** Each deletes the part of a line before the cursor, or behind it. */
const TO_START = "\u0015";
const TO_END = "\u000b";

/**
 * An Enter begins another line for 40 ms after a paste, and until the program has drawn that this is over, which takes
 * it longer on a busy machine.
 */
const ENTER: Key = { bytes: "\r", onScreen: TYPED_BOX, restMs: 500 };

/**
 * A blank that shows proves that its prompt takes keys, which it draws for a moment before; it is deleted. Two behind a
 * text, one drawn after the other, prove that it is over the paste, however slow the machine is. It drops blanks at the end
 * of a text; behind a command they would bring up choices that take the Enter.
 */
const BLANK = { bytes: " ", movesCursor: true } as const;
const BLANK_BEHIND: Key = { ...BLANK, onScreen: TYPED_BOX };

/** Keys for the prompt box and the dialogs of its terminal. Signals are the polite stop. */
export const controls: Controls<GeminiMemory> = {
  say: (_, text) => {
    const isCommand = text.trimStart().startsWith("/");
    const behind = isCommand ? [] : [BLANK_BEHIND, BLANK_BEHIND];
    return { via: "keys", ...BLANK, more: [TO_START + textBytes(text), ...behind, ENTER] };
  },
  approve: (_, request) => approveKeys(request),
  approveAlways: (_, { for: what }) =>
    what === "permission"
      ? { via: "keys", bytes: "2", onScreen: "^│ . 2\\. Allow for this session" }
      : undefined,
  deny: (_, request, reason) => denyKeys(request, reason),
  answer: (_, request, choice) => (request.for === "question" ? answerKeys(request, choice) : undefined),
  interrupt: () => ({ via: "keys", bytes: ESCAPE }),
  stop: () => undefined,
  emptyBox: (screen) => {
    const count = 2 * typedLines(screen);
    return count === 0 ? undefined : TO_START.repeat(count) + TO_END.repeat(count);
  },
};

/** A name of a file at the end of a text, for which it offers a choice that would take the Enter. */
const NAME_AT_END = /(?:^|\s)@\S*$/;

/** A blank behind a name closes that choice; Enter behind a backslash would begin another line. */
function textBytes(text: string): string {
  const typed = text.replaceAll(ESCAPE, "").trimStart();
  return pasteBytes(NAME_AT_END.test(typed) || typed.endsWith("\\") ? `${typed} ` : typed);
}

function approveKeys({ for: what }: Waiting): Keys | undefined {
  if (what === "trust") return { via: "keys", bytes: "1", onScreen: "^ │ . 1\\. Trust folder" };
  return what === "permission" ? { via: "keys", bytes: "1", onScreen: "^│ . 1\\. Allow once" } : undefined;
}

/** A denial ends the turn. */
function denyKeys({ for: what }: Waiting, reason: string | null): Keys | undefined {
  if (what !== "trust" && what !== "permission") return undefined;
  if (reason !== null)
    throw new RollcallError("not_offered", "Gemini's dialog has no place for a reason; nothing was sent.", {
      hint: "Deny without --reason, and tell it with `rollcall send`.",
    });
  if (what === "trust") return { via: "keys", bytes: "3", onScreen: "^ │ . 3\\. Don't trust" };
  return { via: "keys", bytes: ESCAPE, onScreen: "^│ . \\d\\. No, suggest changes \\(esc\\)" };
}

/** Takes the number of a choice, or its words. */
function answerKeys({ options }: Waiting, choice: string): Keys | undefined {
  if (options === null) return undefined;
  const number = options.includes(choice) ? options.indexOf(choice) + 1 : Number(choice);
  if (Number.isInteger(number) && number >= 1 && number <= options.length)
    return { via: "keys", bytes: String(number), onScreen: `^│ . ${number}\\.  ` };
  throw new RollcallError("bad_input", `${JSON.stringify(choice)} is not offered.`, {
    hint: `Valid: ${options.join(", ")}; for words of your own use \`rollcall attach\`.`,
  });
}
