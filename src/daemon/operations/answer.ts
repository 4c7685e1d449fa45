import { setTimeout as sleep } from "node:timers/promises";
import type { Deed } from "../../agents/deed.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRow, Waiting } from "../../domain/session/session.ts";
import { hostOf } from "../../host/host.ts";
import { checkNotOwn } from "../asker.ts";
import { type Daemon, liveOrThrow } from "../daemon.ts";
import { rowOf } from "../launch/start.ts";
import { TAKEN_MS } from "../session/input.ts";
import type { LiveSession } from "../session/live-session.ts";
import { checkTyped } from "./check-typed.ts";
import { checkMoves, type Done, type ToOne } from "./send.ts";
import { isAgentsDoing, Watch } from "./watch-for.ts";

const NEXT_LOOK_MS = 50;

export interface AnswerInput extends ToOne {
  readonly answer: "approve" | "deny" | "choose";
  readonly requestId?: string;
  /** To ask no more for calls like this one, where the agent offers that. */
  readonly always?: boolean;
  readonly choice?: string;
  readonly reason?: string;
}

/** Answers exactly the request that was meant, when it is on the screen, and makes sure that it was taken. */
export async function answerRequest(daemon: Daemon, input: AnswerInput): Promise<Done> {
  for (const text of [input.choice, input.reason]) if (text) checkTyped(text);
  const session = liveOrThrow(daemon, await rowOf(daemon, input.sessionId));
  return session.input.inTurn(async (row) => {
    const request = requestOf(row, input);
    await checkNotOwn(daemon.services, row);
    const deed = await untilAnswerable(session, request, input);
    using left = new Watch(daemon, row, (event) => hasLeft(event, request));
    const said = input.choice ?? input.answer;
    const { seq } = await session.input.give("answer", deed, said, input.channel ?? null);
    if (!(await left.within(TAKEN_MS)))
      throw new RollcallError("not_delivered", `Session ${row.id} still asks the same after the answer.`, {
        hint: `Look at it with \`${hasTerminal(row) ? "rollcall attach" : "rollcall data"} ${row.id}\`.`,
      });
    return { sessionId: row.id, seq };
  });
}

function requestOf(row: SessionRow, { requestId, answer }: AnswerInput): Waiting {
  const { waiting } = row;
  checkMoves(row);
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
      : waiting.for === "login" || (waiting.for === "dialog" && !hasTerminal(row))
        ? []
        : ["choose"];
  if (verbs.includes(answer)) return;
  const how =
    verbs.length === 0
      ? `rollcall ${hasTerminal(row) ? "attach" : "end"} ${row.id}`
      : verbs.includes("choose")
        ? `rollcall answer ${row.id} CHOICE`
        : `rollcall approve ${row.id}`;
  throw new RollcallError("wrong_state", `Session ${row.id} asks for a ${waiting.for}; nothing was sent.`, {
    hint: `Use \`${how}\`.`,
  });
}

/** Undefined where it cannot be answered as it is known now. */
function deedFor(session: LiveSession, request: Waiting, input: AnswerInput): Deed | undefined {
  const { controls } = session.carrying.mode;
  const to = session.target;
  if (input.answer === "approve" && input.always) return controls.approveAlways?.(to, request);
  if (input.answer === "approve") return controls.approve(to, request);
  if (input.answer === "deny") return controls.deny(to, request, input.reason ?? null);
  return controls.answer(to, request, input.choice ?? "");
}

/** Nobody typed for a while, the dialog is drawn, and it is still the same one. */
async function untilAnswerable(session: LiveSession, request: Waiting, input: AnswerInput): Promise<Deed> {
  const deadline = performance.now() + TAKEN_MS;
  let plainLooks = 0;
  for (let known = request; ; known = await knownNow(session, request)) {
    const deed = deedFor(session, known, input);
    if (!deed && !isToldLater(session, known)) throw notOffered(session, input);
    const restMs = deed ? await session.delivery.untilReadyMs(deed, known) : NEXT_LOOK_MS;
    if (deed && restMs <= 0) {
      await knownNow(session, request);
      return deed;
    }
    if (performance.now() > deadline) throw deed ? notDrawn(session.id) : notOffered(session, input);
    if (input.always && (await isDrawnPlain(session, known))) plainLooks += 1;
    if (plainLooks > MOST_PLAIN_LOOKS) throw notOffered(session, input);
    await sleep(restMs);
  }
}

/** So often a dialog is seen without its second choice before that is believed: it may be half drawn. */
const MOST_PLAIN_LOOKS = 5;

async function isDrawnPlain(session: LiveSession, request: Waiting): Promise<boolean> {
  const plain = session.carrying.mode.controls.approve(session.target, request);
  return plain !== undefined && (await session.delivery.untilReadyMs(plain, request)) <= 0;
}

/** A dialog is told in full once it is drawn. */
function isToldLater({ carrying }: LiveSession, { question }: Waiting): boolean {
  return carrying.mode.sources.screen?.shown !== undefined && question === null;
}

async function knownNow(session: LiveSession, request: Waiting): Promise<Waiting> {
  const waiting = (await session.row())?.waiting;
  if (waiting && waiting.requestId === request.requestId) return waiting;
  throw new RollcallError(
    "request_changed",
    `Session ${session.id} asks something else by now; nothing was sent.`,
  );
}

/** Whether it could be answered by hand. */
function hasTerminal({ carried }: Pick<SessionRow, "carried">): boolean {
  return carried !== null && hostOf(carried.launch.host).hasScreen;
}

function notOffered({ id, carrying }: LiveSession, { always = false }: AnswerInput): RollcallError {
  const otherwise = `rollcall ${hostOf(carrying.launch.host).hasScreen ? "attach" : "data"} ${id}`;
  if (always)
    return new RollcallError("not_offered", "This request has no lasting yes; nothing was sent.", {
      hint: `Use \`rollcall approve ${id}\` without --always, or \`${otherwise}\`.`,
    });
  return new RollcallError("not_offered", "This request cannot be answered from outside.", {
    hint: `Use \`${otherwise}\`.`,
  });
}

function notDrawn(id: string): RollcallError {
  return new RollcallError(
    "not_delivered",
    `The question of session ${id} is not on its screen; nothing was sent.`,
    { hint: `Look at it with \`rollcall attach ${id}\`.` },
  );
}

function hasLeft({ body }: FeedEvent, request: Waiting): boolean {
  const isAskedAgain = body.kind === "asked" && body.waiting.requestId === request.requestId;
  return isAgentsDoing(body) && !isAskedAgain;
}
