import { RollcallError } from "../../../domain/errors.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Controls, Deed, Target } from "../../deed.ts";
import { jsonLines, textOf } from "../../json-lines.ts";
import type { CodexMemory } from "../memory.ts";
import { answerId, requestMessage, textId, userInput } from "./protocol.ts";

/** Messages for the app server. Signals are the polite stop, at which it leaves in order. */
export const controls: Controls<CodexMemory> = {
  // In mid-turn the running turn takes the text.
  say: (to, text) =>
    jsonLines(requestMessage(textId(text), "turn/start", { ...threadOf(to), input: userInput(text) })),
  approve: (_, request) => decisionLines(request, "accept"),
  approveAlways: (_, request) => decisionLines(request, "acceptForSession"),
  deny: (to, request, reason) => decisionLines(request, "decline", () => reasonMessages(to, reason)),
  answer: () => undefined,
  interrupt: (to) => {
    const turnId = textOf(to.memory.turnId);
    if (turnId === null) return undefined;
    return jsonLines(requestMessage("interrupt", "turn/interrupt", { ...threadOf(to), turnId }));
  },
  stop: () => undefined,
};

function threadOf({ nativeId, memory }: Target<CodexMemory>): { readonly threadId: string } {
  return { threadId: textOf(memory.thread) ?? nativeId ?? "" };
}

function decisionLines(
  { for: what, requestId }: Waiting,
  decision: "accept" | "acceptForSession" | "decline",
  messagesBefore: () => readonly object[] = () => [],
): Deed | undefined {
  const id = answerId(requestId);
  if (what !== "permission" || id === undefined) return undefined;
  return jsonLines(...messagesBefore(), { id, result: { decision } });
}

/** The turn goes on after a denial. The reason is sent before it, so that it is there by then. */
function reasonMessages(to: Target<CodexMemory>, reason: string | null): readonly object[] {
  if (reason === null || reason.trim() === "") return [];
  const expectedTurnId = textOf(to.memory.turnId);
  if (expectedTurnId === null)
    throw new RollcallError(
      "not_offered",
      "Codex is in no turn that a reason could be sent to; nothing was sent.",
      {
        hint: "Deny without --reason, and then tell it why with `rollcall send`.",
      },
    );
  const params = { ...threadOf(to), input: userInput(reason), expectedTurnId };
  return [requestMessage("reason", "turn/steer", params)];
}
