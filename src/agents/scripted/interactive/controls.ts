import { RollcallError } from "../../../domain/errors.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Controls, Keys } from "../../deed.ts";
import { pasteBytes } from "../../paste.ts";
import { optionIndex } from "../option.ts";

/** A dialog shows this much of a tool's name. */
const SHOWN_CHARS = 40;

/** Keys for the prompt box and the dialogs of the program. */
export const controls: Controls = {
  say: (_, text) => textKeys(text),
  approve: (_, request) => dialogKeys("y", request),
  approveAlways: (_, request) => (request.for === "permission" ? dialogKeys("a", request) : undefined),
  deny: (_, request, reason) => (reason === null ? dialogKeys("n", request) : refuseReason()),
  answer: (_, { for: what, options }, choice) => {
    if (what !== "question") return undefined;
    if (options === null) return { ...textKeys(choice), onScreen: "Answer:" };
    const key = String(optionIndex(options, choice) + 1);
    return { via: "keys", bytes: key, onScreen: `Choose 1-${options.length}:` };
  },
  interrupt: () => ({ via: "keys", bytes: "\u001b" }),
  // Ctrl-D leaves once the prompt box is empty.
  stop: () => ({ via: "keys", bytes: "\u0015\u0004" }),
};

function dialogKeys(bytes: "y" | "n" | "a", request: Waiting): Keys | undefined {
  if (request.for === "trust") return { via: "keys", bytes, onScreen: "Trust this folder\\? \\[y\\] yes" };
  if (request.for !== "permission") return undefined;
  const tool = literalPattern((request.tool ?? "").slice(0, SHOWN_CHARS));
  return { via: "keys", bytes, onScreen: `Allow ${tool}[^\\n]*\\[y\\] yes` };
}

function refuseReason(): never {
  throw new RollcallError("not_offered", "The agent's dialog has no place for a reason; nothing was sent.", {
    hint: "Deny without --reason, and then tell it why with `rollcall send`.",
  });
}

function textKeys(text: string): Keys {
  return { via: "keys", bytes: `${pasteBytes(text)}\r` };
}

function literalPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
