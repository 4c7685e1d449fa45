import { RollcallError } from "../../domain/errors.ts";
import type { Waiting } from "../../domain/session/session.ts";
import type { Controls, Deed, Target } from "../deed.ts";
import { countOf, jsonLines, textOf } from "../json-lines.ts";
import { type AcpMemory, pendingRequests, promptInWork } from "./memory.ts";
import { behindPart } from "./parts.ts";
import { CLOSE, decision, notification, promptId, request } from "./protocol.ts";
import { afterAnswer, workingSignal } from "./signals.ts";

/** Requests, answers and notifications of the protocol. It confirms none of them: what follows is so once they are written. */
export const controls: Controls<AcpMemory> = {
  say,
  approve: (to, asked) => choose(to, asked, ["allow_once"]),
  approveAlways: (to, asked) => choose(to, asked, ["allow_always"]),
  deny: (to, asked, reason) => {
    if (reason !== null && reason.trim() !== "") throw noPlaceForReason();
    return choose(to, asked, ["reject_once", "reject_always"]);
  },
  answer: () => undefined,
  interrupt: (to) => ({
    ...jsonLines(...cancelled(to), notification("session/cancel", sessionOf(to))),
    implies: { memory: { pending: [], isCancelled: true } },
  }),
  stop: (to) => ({ ...jsonLines(...farewell(to)), closes: true }),
};

/** The words are recorded here: agents do not repeat them. */
function say(to: Target<AcpMemory>, text: string): Deed {
  const prompts = (countOf(to.memory.prompts) ?? 0) + 1;
  const id = promptId(prompts);
  const params = { ...sessionOf(to), prompt: [{ type: "text", text }] };
  return {
    ...jsonLines(request(id, "session/prompt", params)),
    implies: behindPart(to.memory, {
      entries: [{ role: "user", kind: "text", text, tool: null }],
      signal: workingSignal("prompt_written"),
      memory: { prompts, prompt: id, done: [], isCancelled: false, hasFailed: false },
    }),
  };
}

/** The agent's own option of the first of these kinds that it offers. */
function choose(
  { memory }: Target<AcpMemory>,
  { for: what, requestId }: Waiting,
  kinds: readonly string[],
): Deed | undefined {
  const pending = pendingRequests(memory);
  const asked = pending.find((one) => one.requestId === requestId);
  const option = kinds
    .map((kind) => asked?.options.find((one) => one.kind === kind))
    .find((one) => one !== undefined);
  if (what !== "permission" || !asked || !option) return undefined;
  const rest = pending.filter((one) => one !== asked);
  return {
    ...jsonLines(decision(asked.id, option.id)),
    implies: afterAnswer(rest, "answer_written", memory),
  };
}

/** Requests of a turn that is cancelled are answered so. */
function cancelled({ memory }: Target<AcpMemory>): object[] {
  return pendingRequests(memory).map(({ id }) => decision(id, null));
}

/** The agent leaves at the end of its input; before it, it may put its conversation away. */
function farewell(to: Target<AcpMemory>): object[] {
  if (to.memory.session === undefined) return [];
  if (to.memory.canClose === true) return [...cancelled(to), request(CLOSE, "session/close", sessionOf(to))];
  // At rest there is nothing to cancel: Gemini CLI would leave with 1 for that.
  const isAtRest = promptInWork(to.memory) === null;
  return [...cancelled(to), ...(isAtRest ? [] : [notification("session/cancel", sessionOf(to))])];
}

function sessionOf({ nativeId, memory }: Target<AcpMemory>): { readonly sessionId: string } {
  return { sessionId: textOf(memory.session) ?? nativeId ?? "" };
}

function noPlaceForReason(): RollcallError {
  return new RollcallError("not_offered", "The protocol has no place for a reason; nothing was sent.", {
    hint: "Deny without --reason, and then tell it why with `rollcall send`.",
  });
}
