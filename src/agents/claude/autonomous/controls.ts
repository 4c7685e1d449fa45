import type { JsonObject } from "../../../domain/json.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import { chosenWords } from "../../choice.ts";
import type { Controls, Deed, Target } from "../../deed.ts";
import { jsonLines } from "../../json-lines.ts";
import { type ClaudeMemory, type Pending, pendingRequests } from "../memory.ts";
import { questionsIn } from "../requests.ts";
import { allowLine, denyLine, interruptLine, userLine } from "./protocol.ts";

/** Lines of JSON on standard input. Signals are the polite stop. */
export const controls: Controls<ClaudeMemory> = {
  say: (_, text) => jsonLines(userLine(text)),
  approve: (to, request) => {
    const pending = findPermission(to, request);
    return pending && jsonLines(allowLine(pending.requestId, pending.input));
  },
  approveAlways: (to, request) => {
    const { requestId, input, rules = [] } = findPermission(to, request) ?? {};
    if (requestId === undefined || input === undefined || rules.length === 0) return undefined;
    return jsonLines(allowLine(requestId, input, rules));
  },
  deny: (to, request, reason) => {
    const pending = findPermission(to, request);
    return pending && jsonLines(denyLine(pending.requestId, reason ?? DENIED));
  },
  answer: (to, request, choice) => {
    const pending = request.for === "question" ? findPending(to, request) : undefined;
    return pending && answerLines(pending, choice);
  },
  interrupt: () => jsonLines(interruptLine()),
  stop: () => undefined,
};

const DENIED = "The user does not want this to be done.";

function answerLines({ requestId, input }: Pending, choice: string): Deed {
  const questions = questionsIn(input);
  const chosen = chosenWords(questions, choice);
  const answers: JsonObject = Object.fromEntries(
    questions.map(({ question }, index) => [question, (chosen[index] ?? []).join(", ")]),
  );
  return jsonLines(allowLine(requestId, { ...input, answers }));
}

function findPermission(to: Target<ClaudeMemory>, request: Waiting): Pending | undefined {
  return request.for === "permission" ? findPending(to, request) : undefined;
}

/** The request as it was asked: in the record, secrets are taken out of it. */
function findPending({ memory }: Target<ClaudeMemory>, { requestId }: Waiting): Pending | undefined {
  return pendingRequests(memory).find((pending) => pending.requestId === requestId);
}
