import type { JsonObject } from "../../domain/json.ts";
import type { Waiting } from "../../domain/session/session.ts";
import type { Controls, Keystrokes, Target } from "../agent.ts";
import { questionsIn } from "./asked.ts";
import { approval, lastingApproval, pasted, refusal } from "./dialogs.ts";
import { type Pending, pendingIn } from "./notes.ts";
import { emptyBox } from "./prompt-box.ts";
import { allowed, allowedForGood, interrupt, refused, said } from "./protocol.ts";
import { choosing, chosenIn } from "./questions.ts";

/** What it takes: keys of its dialogs, or lines of JSON. Its signals are its polite stop. */
export const controls: Controls = {
  say: ({ kind }, text) =>
    by(kind, { interactive: () => typed(text), autonomous: () => ({ bytes: said(text) }) }),
  approve: (to, request) =>
    by(to.kind, {
      interactive: () => approval(request),
      autonomous: () => decided(to, request, ({ requestId, input }) => allowed(requestId, input)),
    }),
  approveAlways: (to, request) =>
    by(to.kind, {
      interactive: () => lastingApproval(request),
      autonomous: () =>
        decided(to, request, ({ requestId, input, rules }) =>
          rules.length === 0 ? undefined : allowedForGood(requestId, input, rules),
        ),
    }),
  deny: (to, request, reason) =>
    by(to.kind, {
      interactive: () => refusal(request, reason),
      autonomous: () => decided(to, request, ({ requestId }) => refused(requestId, reason ?? REFUSED)),
    }),
  answer: (to, request, choice) =>
    request.for !== "question"
      ? undefined
      : by(to.kind, {
          interactive: () => choosing(request, choice),
          autonomous: () => answered(to, request, choice),
        }),
  interrupt: ({ kind }) =>
    by(kind, { interactive: () => ({ bytes: "\u001b" }), autonomous: () => ({ bytes: interrupt() }) }),
  stop: () => undefined,
  emptyBox,
};

const REFUSED = "The user does not want this to be done.";

type Either = Readonly<Record<"interactive" | "autonomous", () => Keystrokes | undefined>>;

function by(kind: Target["kind"], either: Either): Keystrokes | undefined {
  return kind === "acp" ? undefined : either[kind]();
}

/** Enter behind a backslash would begin another line. */
function typed(text: string): Keystrokes {
  return { bytes: pasted(text.endsWith("\\") ? `${text} ` : text), more: ["\r"] };
}

function decided(
  to: Target,
  request: Waiting,
  answer: (pending: Pending) => string | undefined,
): Keystrokes | undefined {
  const pending = request.for === "permission" ? pendingOf(to, request) : undefined;
  const bytes = pending && answer(pending);
  return bytes === undefined ? undefined : { bytes };
}

function answered(to: Target, request: Waiting, choice: string): Keystrokes | undefined {
  const pending = pendingOf(to, request);
  if (pending === undefined) return undefined;
  const questions = questionsIn(pending.input);
  const chosen = chosenIn(questions, choice);
  const answers: JsonObject = Object.fromEntries(
    questions.map(({ question }, index) => [question, (chosen[index] ?? []).join(", ")]),
  );
  return { bytes: allowed(pending.requestId, { ...pending.input, answers }) };
}

/** As it was asked for: in the record secrets were taken out of it. */
function pendingOf({ notes }: Target, { requestId }: Waiting): Pending | undefined {
  return pendingIn(notes).find((pending) => pending.requestId === requestId);
}
