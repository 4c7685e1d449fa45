import type { Json } from "../../domain/json.ts";
import type { Waiting } from "../../domain/session/session.ts";
import { chosenWords } from "../choice.ts";
import type { Controls, HttpCall, Target } from "../deed.ts";
import { pathPart, post, promptCall } from "./calls.ts";
import { nativeOf, type OpencodeMemory, openRequests } from "./memory.ts";
import { questionsIn } from "./requests.ts";

/** Calls of its server, which its terminal shows as if a person had done it there. Signals are the polite stop. */
export const controls: Controls<OpencodeMemory> = {
  say: (to, text) => promptCall(conversationOf(to), text, to.memory),
  approve: (_, request) => replyCall(request, { reply: "once" }),
  approveAlways: ({ memory }, request) =>
    openRequests(memory).some(({ id, canLast }) => id === request.requestId && canLast)
      ? replyCall(request, { reply: "always" })
      : undefined,
  deny: (_, request, reason) =>
    replyCall(request, { reply: "reject", ...(reason === null ? {} : { message: reason }) }),
  answer: (_, { for: what, requestId, input }, choice) => {
    const questions = questionsIn(input);
    if (what !== "question" || requestId === null || questions.length === 0) return undefined;
    const answers = chosenWords(questions, choice);
    return post(`/question/${pathPart(requestId)}/reply`, { answers: answers as Json });
  },
  interrupt: (to) => post(`/session/${pathPart(conversationOf(to))}/abort`),
  stop: () => undefined,
};

/** The conversation that is shown, else that of the record: a person may have begun another one. */
function conversationOf({ nativeId, memory }: Target<OpencodeMemory>): string {
  return nativeOf(memory) ?? nativeId ?? "";
}

function replyCall({ for: what, requestId }: Waiting, body: Json): HttpCall | undefined {
  if (what !== "permission" || requestId === null) return undefined;
  return post(`/permission/${pathPart(requestId)}/reply`, body);
}
