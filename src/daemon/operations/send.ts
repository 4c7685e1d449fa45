import { RollcallError } from "../../domain/errors.ts";
import { shows } from "../../domain/screen/same-text.ts";
import type { FeedEvent, SessionEvent } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import { isGoalDone } from "../../domain/session/turn.ts";
import { hostOf } from "../../host/host.ts";
import { checkNotOwn } from "../asker.ts";
import { type Daemon, liveOrThrow } from "../daemon.ts";
import { rowOf } from "../launch/start.ts";
import { isOwnCommand, type Said, TAKEN_MS } from "../session/input.ts";
import type { LiveSession } from "../session/live-session.ts";
import { checkTyped } from "./check-typed.ts";
import { CommandWatch } from "./command-watch.ts";
import { findByKey, sendKeyId } from "./key.ts";
import { encodeKeys } from "./keys.ts";
import { emptyPromptBox } from "./prompt-box.ts";
import { turnOfQueued } from "./queued-turn.ts";
import { isAgentsDoing, Watch } from "./watch-for.ts";

export interface Done {
  readonly sessionId: string;
  readonly seq: number;
}

/** `turn`: the number of the turn that the text belongs to; null where turns are not seen. */
export interface Sent extends Done {
  readonly turn: number | null;
}

export interface ToOne {
  readonly sessionId: string;
  readonly channel?: Channel;
}

interface SendInput extends ToOne {
  readonly text: string;
  /** The same key again within a day answers as the first call did, and sends nothing. */
  readonly key?: string;
}

/** A text for an agent at its prompt, or for a running one that keeps it for later. Answered when it was taken. */
export async function sendInput(daemon: Daemon, input: SendInput, signal: AbortSignal): Promise<Sent> {
  checkTyped(input.text);
  const row = await rowOf(daemon, input.sessionId);
  const before = await findSent(daemon, row, input);
  const said = before ?? (await say(daemon, liveOrThrow(daemon, row), input));
  const { seq } = said;
  const turn = said.isQueued ? await turnOfQueued(daemon, row.id, said, input.text, signal) : said.turn;
  if (before && turn !== null) await checkDelivered(daemon, row.id, before.seq, turn);
  return { sessionId: row.id, seq, turn };
}

async function findSent(daemon: Daemon, { id }: SessionRow, { key }: SendInput): Promise<Said | undefined> {
  const event = key === undefined ? undefined : (await findByKey(daemon, sendKeyId(id, key))).event;
  return event && saidOf(event);
}

function saidOf({ seq, body }: SessionEvent): Said | undefined {
  if (body.kind !== "input_given") return undefined;
  return { seq, turn: body.turn ?? null, isQueued: body.isQueued ?? false };
}

async function say(daemon: Daemon, session: LiveSession, input: SendInput): Promise<Said> {
  return session.input.inTurn(async (row) => {
    const { text, key, channel = null } = input;
    const keyed = key === undefined ? undefined : await findByKey(daemon, sendKeyId(row.id, key));
    const before = keyed?.event && saidOf(keyed.event);
    if (before) return before;
    checkTakesText(row, session);
    const saying = { channel, ...(keyed ? { inputId: keyed.freeId } : {}) };
    if (!session.carrying.mode.capabilities.tellsTurns) return session.input.say("send", text, saying);
    const isQueued = row.state === "running" || session.input.isBehindQueued(text);
    if (row.state !== "running") await emptyPromptBox(session);
    using taken = watchTaken(daemon, session, row, { text, isQueued });
    using command = !isQueued && isOwnCommand(text) ? new CommandWatch(session, taken) : undefined;
    await command?.begin();
    const said = await session.input.say("send", text, saying);
    command?.awaits(said.turn);
    if (said.isQueued) session.input.keep((signal) => turnOfQueued(daemon, row.id, said, text, signal));
    if (!(await taken.within(TAKEN_MS + GIVEN_UP_MS))) throw notDelivered(row.id);
    return said;
  });
}

/** The turn itself is given up after the same time; this only bounds the wait for that. */
const GIVEN_UP_MS = 2000;

/** A repeated call answers as the first one did, also where the text was never taken. */
async function checkDelivered(daemon: Daemon, id: string, after: number, turn: number): Promise<void> {
  for await (const { body } of daemon.services.rollcall.events(id, { after })) {
    if (body.kind !== "turn_ended" || body.number !== turn) continue;
    if (body.error === "not_delivered") throw notDelivered(id);
    return;
  }
}

export function notDelivered(id: string): RollcallError {
  return new RollcallError("not_delivered", `Session ${id} did not show that it took the text.`, {
    hint: `See its screen with \`rollcall data ${id}\`.`,
  });
}

export async function sendKeys(
  daemon: Daemon,
  { sessionId, keys, channel }: ToOne & { readonly keys: readonly string[] },
): Promise<Done> {
  const session = liveOrThrow(daemon, await rowOf(daemon, sessionId));
  if (!hostOf(session.carrying.launch.host).hasScreen)
    throw new RollcallError("not_offered", `Session ${sessionId} has no terminal to press keys at.`, {
      hint: `\`rollcall send ${sessionId} TEXT\` gives it a line.`,
    });
  const bytes = encodeKeys(keys);
  return session.input.inTurn(async (row) => {
    checkMoves(row);
    if (row.state === "waiting_input" && row.waiting?.for !== "prompt")
      await checkNotOwn(daemon.services, row);
    // Counted, not kept: a secret typed key by key would pass every look for it.
    const { seq } = await session.input.give(
      "keys",
      { via: "keys", bytes },
      `${keys.length} keys`,
      channel ?? null,
    );
    return { sessionId: row.id, seq };
  });
}

/** The signs that an agent has a text: it says so, it says what it took, or it does something about it. */
function watchTaken(
  daemon: Daemon,
  session: LiveSession,
  row: SessionRow,
  { text, isQueued }: { readonly text: string; readonly isQueued: boolean },
): Watch {
  const redacted = session.redact(text);
  const watch = new Watch(daemon, row, (event) => isTaken(event, redacted, isQueued), isGivenUp);
  watch.hold(
    session.intake.onTaken((shown) => {
      if (!shows(shown, text)) return;
      watch.saw();
      if (!isQueued) void noteTaken(session);
    }),
  );
  return watch;
}

async function noteTaken(session: LiveSession): Promise<void> {
  const evidence = { source: "transcript", rule: "text_shown", excerpt: null } as const;
  try {
    await session.observe({ saw: "text_taken", evidence });
  } catch (error) {
    session.log.error({ session: session.id, err: error }, "could not record that a text was taken");
  }
}

/** A state that changes in mid-turn says nothing of a text that waits. */
function isTaken({ body }: FeedEvent, text: string, isQueued: boolean): boolean {
  if (body.kind === "entry_added") return body.entry.role === "user" && shows(body.entry.text ?? "", text);
  if (isQueued) return false;
  // A command of the agent's own may begin another conversation.
  if (body.kind === "identified") return body.identity.nativeId !== undefined;
  return isAgentsDoing(body) && body.kind !== "at_prompt";
}

function isGivenUp({ body }: FeedEvent): boolean {
  return body.kind === "turn_ended" && body.error === "not_delivered";
}

function checkTakesText(row: SessionRow, session: LiveSession): void {
  const isAtPrompt = row.state === "waiting_input" && row.waiting?.for === "prompt";
  const isQueueing = row.state === "running" && session.carrying.mode.capabilities.queuesInput;
  if (isInputClosed(row, session))
    throw new RollcallError("wrong_state", `The input of session ${row.id} is closed; nothing was sent.`, {
      hint: "Start it without --wait, or with --kind, to send to it.",
    });
  if (row.state === "waiting_input" && !isAtPrompt)
    throw new RollcallError(
      "wrong_state",
      `Session ${row.id} asks something (${row.waiting?.for}); a text would answer it blindly.`,
      { hint: `\`rollcall get ${row.id}\` shows what it asks, and the command that answers it.` },
    );
  if (row.turn?.state === "pending" && row.turn.givenAt === null)
    throw new RollcallError("wrong_state", `Session ${row.id} has not been given its first text yet.`, {
      hint: `Wait for its turn with \`rollcall wait ${row.id} --turn ${row.turn.number}\`.`,
    });
  if (isAtPrompt || isQueueing) return;
  checkMoves(row);
  throw new RollcallError("wrong_state", `Session ${row.id} is ${row.state} and takes no text now.`, {
    hint: `Wait for it with \`rollcall wait ${row.id}\`.`,
  });
}

/** A plain command whose first text was all, or an agent that is done with its one goal. */
function isInputClosed(row: SessionRow, { carrying }: LiveSession): boolean {
  const { closesInput, hasPrompt } = carrying.launch;
  if (carrying.mode.capabilities.tellsTurns) return isGoalDone(row);
  return closesInput && (!hasPrompt || row.carried?.isPromptGiven === true);
}

/** Keys that are typed into a session that stands still would be taken when it goes on. */
export function checkMoves(row: SessionRow): void {
  if (row.state !== "paused" && row.state !== "stopping") return;
  throw new RollcallError("wrong_state", `Session ${row.id} is ${row.state}; nothing was sent.`, {
    hint: row.state === "paused" ? `\`rollcall continue ${row.id}\` lets it go on.` : "It is about to end.",
  });
}
