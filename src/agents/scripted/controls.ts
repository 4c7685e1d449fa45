import { RollcallError } from "../../domain/errors.ts";
import type { Kind, Waiting } from "../../domain/session/session.ts";
import type { Controls, Keystrokes, Target } from "../agent.ts";

/** So much of a tool's name is in its dialog. */
const SHOWN_CHARS = 40;

/** What the program takes: keys of its dialogs, or lines of JSON. */
export const controls: Controls = {
  say: ({ kind }, text) =>
    by(kind, { interactive: () => typed(text), autonomous: () => line({ type: "user", text }) }),
  approve: ({ kind }, request) =>
    by(kind, {
      interactive: () => press("y", request),
      autonomous: () => decide(request, { decision: "approve" }),
    }),
  approveAlways: ({ kind }, request) =>
    request.for !== "permission"
      ? undefined
      : by(kind, {
          interactive: () => press("a", request),
          autonomous: () => decide(request, { decision: "approve", always: true }),
        }),
  deny: ({ kind }, request, reason) =>
    by(kind, {
      interactive: () => (reason === null ? press("n", request) : refuseReason()),
      autonomous: () => decide(request, { decision: "deny", ...(reason === null ? {} : { reason }) }),
    }),
  answer,
  interrupt: ({ kind }) =>
    by(kind, { interactive: () => ({ bytes: "\u001b" }), autonomous: () => line({ type: "interrupt" }) }),
  // It leaves at Ctrl-D, once its prompt box is empty.
  stop: ({ kind }) =>
    by(kind, { interactive: () => ({ bytes: "\u0015\u0004" }), autonomous: () => line({ type: "stop" }) }),
};

type Either = Readonly<Record<"interactive" | "autonomous", () => Keystrokes | undefined>>;

function by(kind: Kind, either: Either): Keystrokes | undefined {
  return kind === "acp" ? undefined : either[kind]();
}

function press(key: "y" | "n" | "a", request: Waiting): Keystrokes | undefined {
  if (request.for === "trust") return { bytes: key, onScreen: "Trust this folder\\? \\[y\\] yes" };
  if (request.for !== "permission") return undefined;
  const tool = literally((request.tool ?? "").slice(0, SHOWN_CHARS));
  return { bytes: key, onScreen: `Allow ${tool}[^\\n]*\\[y\\] yes` };
}

function refuseReason(): never {
  throw new RollcallError("not_offered", "The agent's dialog has no place for a reason; nothing was sent.", {
    hint: "Deny without --reason, and then tell it why with `rollcall send`.",
  });
}

function decide(request: Waiting, decision: object): Keystrokes | undefined {
  if (request.for !== "permission" || request.requestId === null) return undefined;
  return line({ type: "answer", request_id: request.requestId, ...decision });
}

function answer({ kind }: Target, request: Waiting, choice: string): Keystrokes | undefined {
  const { for: what, requestId, options } = request;
  if (what !== "question" || kind === "acp") return undefined;
  const index = options === null ? -1 : indexOf(options, choice);
  if (kind === "autonomous") {
    if (requestId === null) return undefined;
    return line({ type: "answer", request_id: requestId, choice: options?.[index] ?? choice });
  }
  if (options === null) return { ...typed(choice), onScreen: "Answer:" };
  return { bytes: String(index + 1), onScreen: `Choose 1-${options.length}:` };
}

/** An option is named by its text or its number. */
function indexOf(options: readonly string[], choice: string): number {
  const named = options.indexOf(choice);
  const index = named >= 0 ? named : /^\d+$/.test(choice) ? Number(choice) - 1 : -1;
  if (index in options) return index;
  throw new RollcallError("bad_input", `${JSON.stringify(choice)} is not offered.`, {
    hint: `Valid: ${options.join(", ")}; or a number from 1 to ${options.length}.`,
  });
}

/** As a paste, so that a newline in it does not send it. */
function typed(text: string): Keystrokes {
  return { bytes: `\u001b[200~${text.replaceAll("\u001b", "")}\u001b[201~\r` };
}

function line(value: object): Keystrokes {
  return { bytes: `${JSON.stringify(value)}\n` };
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
