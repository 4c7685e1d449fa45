import { setTimeout as sleep } from "node:timers/promises";
import type { Keystrokes } from "../agents/agent.ts";
import { RollcallError } from "../domain/errors.ts";
import type { FeedEvent } from "../domain/event.ts";
import type { Channel, SessionRow, Waiting } from "../domain/session.ts";
import { type Daemon, liveOrThrow } from "./daemon.ts";
import { encodeKeys } from "./keys.ts";
import type { LiveSession } from "./live-session.ts";
import { rowOf } from "./start.ts";

export interface Done {
  readonly sessionId: string;
  readonly seq: number;
}

interface ToOne {
  readonly sessionId: string;
  readonly channel?: Channel;
}

/** How long an agent may take to show that it took something. */
const TAKEN_MS = 5000;
/** Agents hold a dialog back after a key, and an earlier answer would stay in the prompt box. */
const AFTER_KEY_MS = 1200;

/** A text for an agent at its prompt, or for a running one that keeps it for later. */
export async function sendInput(
  daemon: Daemon,
  { sessionId, text, channel }: ToOne & { readonly text: string },
): Promise<Done> {
  checkSendable(text);
  const session = liveOrThrow(daemon, await rowOf(daemon, sessionId));
  return session.input.inTurn(async (row) => {
    checkTakesText(row, session);
    const isTold = session.carrying.agent.capabilities.confirmsInput && row.state === "waiting_input";
    using taken = isTold ? watchFor(daemon, row, isTaken) : undefined;
    const { seq } = await session.input.say("send", text, channel ?? null);
    if (taken && !(await taken.within(TAKEN_MS)))
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

export interface AnswerInput extends ToOne {
  readonly answer: "approve" | "deny" | "choose";
  readonly requestId?: string;
  readonly choice?: string;
  readonly reason?: string;
}

/** Answers exactly the request that was meant, when it is on the screen, and makes sure that it was taken. */
export async function answerRequest(daemon: Daemon, input: AnswerInput): Promise<Done> {
  const session = liveOrThrow(daemon, await rowOf(daemon, input.sessionId));
  return session.input.inTurn(async (row) => {
    const request = requestOf(row, input);
    const keystrokes = keystrokesFor(session, request, input);
    await untilAnswerable(session, request, keystrokes);
    using left = watchFor(daemon, row, (event) => hasLeft(event, request));
    const said = input.choice ?? input.answer;
    const { seq } = await session.input.press("answer", keystrokes, said, input.channel ?? null);
    if (!(await left.within(TAKEN_MS)))
      throw new RollcallError("not_delivered", `Session ${row.id} still asks the same after the answer.`, {
        hint: `Look at it with \`rollcall attach ${row.id}\`.`,
      });
    return { sessionId: row.id, seq };
  });
}

export async function interruptSession(daemon: Daemon, { sessionId, channel }: ToOne): Promise<Done> {
  const session = liveOrThrow(daemon, await rowOf(daemon, sessionId));
  const { agent } = session.carrying;
  const keystrokes = agent.controls.interrupt(session.addressee);
  if (!keystrokes)
    throw new RollcallError("not_offered", `Session ${sessionId} cannot be interrupted.`, {
      hint: `\`rollcall end ${sessionId}\` ends it.`,
    });
  return session.input.inTurn(async (row) => {
    checkMoves(row);
    if (row.state !== "running" && row.waiting?.for === "prompt")
      throw new RollcallError(
        "wrong_state",
        `Session ${sessionId} is at its prompt; there is nothing to interrupt.`,
      );
    using over = watchFor(daemon, row, (event) => event.body.kind === "state_changed");
    const { seq } = await session.input.press("interrupt", keystrokes, "interrupt", channel ?? null);
    if (agent.capabilities.tellsTurns && !(await over.within(TAKEN_MS)))
      throw new RollcallError("not_delivered", `Session ${sessionId} works on after the interrupt.`, {
        hint: `\`rollcall end ${sessionId}\` ends it.`,
      });
    return { sessionId, seq };
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

function checkSendable(text: string): void {
  if (text === "") throw new RollcallError("bad_input", "There is no text to send.");
  if (!CONTROL.test(text)) return;
  throw new RollcallError("bad_input", "The text has control characters, which `send` never types.", {
    hint: "Press keys with `rollcall keys ID KEY…`.",
  });
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
function checkMoves(row: SessionRow): void {
  if (row.state !== "paused" && row.state !== "stopping") return;
  throw new RollcallError("wrong_state", `Session ${row.id} is ${row.state}; nothing was sent.`, {
    hint: row.state === "paused" ? `\`rollcall continue ${row.id}\` lets it go on.` : "It is about to end.",
  });
}

function requestOf(row: SessionRow, { requestId, answer }: AnswerInput): Waiting {
  const { waiting } = row;
  if (row.state !== "waiting_input" || !waiting || waiting.for === "prompt" || waiting.for === "limit")
    throw new RollcallError("no_request", `Session ${row.id} asks nothing now; nothing was sent.`, {
      hint: `See \`rollcall get ${row.id}\`.`,
    });
  if (requestId !== undefined && requestId !== waiting.requestId)
    throw new RollcallError(
      "request_changed",
      `Session ${row.id} asks something else by now (${waiting.requestId}); nothing was sent.`,
      {
        hint: `See what it asks with \`rollcall get ${row.id}\`.`,
        facts: { requestId: waiting.requestId },
      },
    );
  checkFits(row, waiting, answer);
  return waiting;
}

function checkFits(row: SessionRow, waiting: Waiting, answer: AnswerInput["answer"]): void {
  const verbs =
    waiting.for === "permission" || waiting.for === "trust"
      ? ["approve", "deny"]
      : waiting.for === "login"
        ? []
        : ["choose"];
  if (verbs.includes(answer)) return;
  const how =
    verbs.length === 0
      ? `rollcall attach ${row.id}`
      : verbs.includes("choose")
        ? `rollcall answer ${row.id} CHOICE`
        : `rollcall approve ${row.id}`;
  throw new RollcallError("wrong_state", `Session ${row.id} asks for a ${waiting.for}; nothing was sent.`, {
    hint: `Use \`${how}\`.`,
  });
}

function keystrokesFor(session: LiveSession, request: Waiting, input: AnswerInput): Keystrokes {
  const { controls } = session.carrying.agent;
  const to = session.addressee;
  const keystrokes =
    input.answer === "approve"
      ? controls.approve(to, request)
      : input.answer === "deny"
        ? controls.deny(to, request, input.reason ?? null)
        : controls.answer(to, request, input.choice ?? "");
  if (keystrokes) return keystrokes;
  throw new RollcallError("not_offered", "This request cannot be answered from outside.", {
    hint: `Use \`rollcall attach ${session.id}\`.`,
  });
}

/** Nobody typed for a while, the dialog is drawn, and it is still the same one. */
async function untilAnswerable(
  session: LiveSession,
  request: Waiting,
  { onScreen }: Keystrokes,
): Promise<void> {
  if (session.carrying.launch.host !== "pty") return;
  const deadline = performance.now() + TAKEN_MS;
  while (performance.now() < deadline) {
    const status = await session.follower.status();
    const restMs = AFTER_KEY_MS - (status?.lastInputMsAgo ?? AFTER_KEY_MS);
    const text = restMs > 0 || onScreen === undefined ? "" : ((await session.screen.now())?.text() ?? "");
    if (restMs <= 0 && (onScreen === undefined || new RegExp(onScreen, "mu").test(text))) {
      const row = await session.row();
      if (row?.waiting?.requestId === request.requestId) return;
      throw new RollcallError(
        "request_changed",
        `Session ${session.id} asks something else by now; nothing was sent.`,
      );
    }
    await sleep(Math.max(restMs, 50));
  }
  throw new RollcallError(
    "not_delivered",
    `The question of session ${session.id} is not on its screen; nothing was sent.`,
    {
      hint: `Look at it with \`rollcall attach ${session.id}\`.`,
    },
  );
}

function isTaken(event: FeedEvent): boolean {
  const { body } = event;
  if (body.kind === "state_changed") return body.to !== "waiting_input" || body.waiting?.for !== "prompt";
  return body.kind === "entry_added" && body.entry.role === "user";
}

function hasLeft({ body }: FeedEvent, request: Waiting): boolean {
  return (
    body.kind === "state_changed" &&
    (body.to !== "waiting_input" || body.waiting?.requestId !== request.requestId)
  );
}

/** Begins to listen at once, so that nothing is missed between the act and the wait. */
function watchFor(daemon: Daemon, row: SessionRow, isIt: (event: FeedEvent) => boolean) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const listening = daemon.hub.listen(
    (event) => {
      if ("seq" in event && event.seq > row.seq && isIt(event)) resolve(true);
      if (event.body.kind === "deleted") resolve(true);
    },
    [row.id],
  );
  return {
    async within(ms: number): Promise<boolean> {
      const timer = setTimeout(() => resolve(false), ms);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}
