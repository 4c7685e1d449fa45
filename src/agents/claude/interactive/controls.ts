import type { Controls, Keys } from "../../deed.ts";
import { pasteBytes } from "../../paste.ts";
import type { ClaudeMemory } from "../memory.ts";
import { approveAlwaysKeys, approveKeys, denyKeys } from "./dialogs.ts";
import { emptyBox } from "./prompt-box.ts";
import { answerKeys } from "./questions.ts";

/** Keys for the prompt box and the dialogs. Signals are the polite stop. */
export const controls: Controls<ClaudeMemory> = {
  say: (_, text) => textKeys(text),
  approve: (_, request) => approveKeys(request),
  approveAlways: (_, request) => approveAlwaysKeys(request),
  deny: (_, request, reason) => denyKeys(request, reason),
  answer: (_, request, choice) => (request.for === "question" ? answerKeys(request, choice) : undefined),
  interrupt: () => ({ via: "keys", bytes: "\u001b" }),
  stop: () => undefined,
  emptyBox,
};

/** Enter behind a backslash would begin another line. */
function textKeys(text: string): Keys {
  return { via: "keys", bytes: pasteBytes(text.endsWith("\\") ? `${text} ` : text), more: ["\r"] };
}
