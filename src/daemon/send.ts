import { RollcallError } from "../domain/errors.ts";
import type { FeedEvent } from "../domain/event.ts";
import { shows } from "../domain/same-text.ts";
import type { Channel, SessionRow } from "../domain/session.ts";
import { checkTyped } from "./check-typed.ts";
import { CommandWatch } from "./command-watch.ts";
import { type Daemon, liveOrThrow } from "./daemon.ts";
import { encodeKeys } from "./keys.ts";
import type { LiveSession } from "./live-session.ts";
import { emptyPromptBox } from "./prompt-box.ts";
import { rowOf } from "./start.ts";
import { isAgentsDoing, Watch } from "./watch-for.ts";

export interface Done {
  readonly sessionId: string;
  readonly seq: number;
}

export interface ToOne {
  readonly sessionId: string;
  readonly channel?: Channel;
}

/** How long an agent may take to show that it took something. */
export const TAKEN_MS = 10_000;

/** A text for an agent at its prompt, or for a running one that keeps it for later. Answered when it was taken. */
export async function sendInput(
  daemon: Daemon,
  { sessionId, text, channel }: ToOne & { readonly text: string },
): Promise<Done> {
  checkTyped(text);
  const session = liveOrThrow(daemon, await rowOf(daemon, sessionId));
  return session.input.inTurn(async (row) => {
    checkTakesText(row, session);
    const isTold = session.carrying.agent.capabilities.confirmsInput;
    const isQueued = isTold && row.state === "running";
    if (!isQueued) await emptyPromptBox(session);
    using taken = watchTaken(daemon, session, row, text);
    using command = !isQueued && isOwnCommand(text) ? new CommandWatch(session, taken) : undefined;
    await command?.begin();
    const { seq } = await session.input.say("send", text, { channel: channel ?? null, isQueued });
    if (isTold && !(await taken.within(TAKEN_MS)))
      throw new RollcallError("not_delivered", `Session ${row.id} did not show that it took the text.`, {
        hint: `See its screen with \`rollcall data ${row.id}\`.`,
      });
    return { sessionId: row.id, seq };
  });
}

export async function sendKeys(
  daemon: Daemon,
  { sessionId, keys, channel }: ToOne & { readonly keys: readonly string[] },
): Promise<Done> {
  const session = liveOrThrow(daemon, await rowOf(daemon, sessionId));
  if (session.carrying.launch.host !== "pty")
    throw new RollcallError("not_offered", `Session ${sessionId} has no terminal to press keys at.`, {
      hint: `\`rollcall send ${sessionId} TEXT\` gives it a line.`,
    });
  const bytes = encodeKeys(keys);
  return session.input.inTurn(async (row) => {
    checkMoves(row);
    // Counted, not kept: a secret typed key by key would pass every look for it.
    const { seq } = await session.input.press("keys", { bytes }, `${keys.length} keys`, channel ?? null);
    return { sessionId: row.id, seq };
  });
}

/** The signs that an agent has a text: it says so, it says what it took, or it does something about it. */
export function watchTaken(daemon: Daemon, session: LiveSession, row: SessionRow, text: string): Watch {
  const isQueued = row.state === "running";
  const redacted = session.redact(text);
  const watch = new Watch(daemon, row, (event) => isTaken(event, redacted, isQueued));
  watch.hold(
    session.findings.onTaken((shown) => {
      if (shows(shown, text)) watch.saw();
    }),
  );
  return watch;
}

/** A state that changes in mid-turn says nothing of a text that waits. */
function isTaken({ body }: FeedEvent, text: string, isQueued: boolean): boolean {
  if (body.kind === "entry_added") return body.entry.role === "user" && shows(body.entry.text ?? "", text);
  if (isQueued) return false;
  // A command of the agent's own may begin another conversation.
  if (body.kind === "identified") return body.identity.nativeId !== undefined;
  return isAgentsDoing(body) && (body.to !== "waiting_input" || body.waiting?.for !== "prompt");
}

/** Agents take such a line for an order to themselves: nothing of it comes into the conversation. */
function isOwnCommand(text: string): boolean {
  return /^\/\w[^\n]*$/.test(text);
}

function checkTakesText(row: SessionRow, session: LiveSession): void {
  const isAtPrompt = row.state === "waiting_input" && row.waiting?.for === "prompt";
  const isQueueing = row.state === "running" && session.carrying.agent.capabilities.queuesInput;
  if (isInputClosed(row, session))
    throw new RollcallError("wrong_state", `The input of session ${row.id} is closed; nothing was sent.`, {
      hint: "Start it without --wait, or with --kind, to send to it.",
    });
  if (isAtPrompt || isQueueing) return;
  if (row.state === "waiting_input")
    throw new RollcallError(
      "wrong_state",
      `Session ${row.id} asks something (${row.waiting?.for}); a text would answer it blindly.`,
      {
        hint: "Use `rollcall approve`, `deny`, `answer` or `attach`.",
      },
    );
  throw new RollcallError("wrong_state", `Session ${row.id} is ${row.state} and takes no text now.`, {
    hint: `Wait for it with \`rollcall wait ${row.id}\`.`,
  });
}

function isInputClosed({ carried }: SessionRow, { carrying }: LiveSession): boolean {
  const { closesInput, hasPrompt } = carrying.launch;
  const isGiven = !hasPrompt || carried?.isPromptGiven === true;
  return closesInput && isGiven && !carrying.agent.capabilities.tellsTurns;
}

/** Keys that are typed into a session that stands still would be taken when it goes on. */
export function checkMoves(row: SessionRow): void {
  if (row.state !== "paused" && row.state !== "stopping") return;
  throw new RollcallError("wrong_state", `Session ${row.id} is ${row.state}; nothing was sent.`, {
    hint: row.state === "paused" ? `\`rollcall continue ${row.id}\` lets it go on.` : "It is about to end.",
  });
}
