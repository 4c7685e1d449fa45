import { setTimeout as sleep } from "node:timers/promises";
import type { Deed } from "../../agents/deed.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { WaitingFor } from "../../domain/session/state.ts";
import { waitingForAfter } from "../../domain/supervise/news.ts";
import { INTERRUPTED } from "../../domain/transcript/entry.ts";
import { type Daemon, liveOrThrow } from "../daemon.ts";
import { rowOf } from "../launch/start.ts";
import { TAKEN_MS } from "../session/input.ts";
import type { LiveSession } from "../session/live-session.ts";
import { checkMoves, type Done, type ToOne } from "./send.ts";
import { Watch } from "./watch-for.ts";

/** Stops the turn in progress by the agent's own means. Answered when that turn is over. */
export async function interruptSession(daemon: Daemon, { sessionId, channel }: ToOne): Promise<Done> {
  const session = liveOrThrow(daemon, await rowOf(daemon, sessionId));
  const { mode } = session.carrying;
  return session.input.inTurn(async (row) => {
    const deed = mode.controls.interrupt(session.target);
    if (!deed)
      throw new RollcallError("not_offered", `Session ${sessionId} cannot be interrupted.`, {
        hint: `\`rollcall end ${sessionId}\` ends it.`,
      });
    checkMoves(row);
    checkInTurn(row);
    using over = new Watch(daemon, await untilReady(session, row, deed), isTurnOver);
    const { seq } = await session.input.give("interrupt", deed, "interrupt", channel ?? null);
    if (mode.capabilities.tellsTurns && !(await over.within(TAKEN_MS)))
      throw new RollcallError("not_delivered", `Session ${sessionId} works on after the interrupt.`, {
        hint: `\`rollcall end ${sessionId}\` ends it.`,
      });
    return { sessionId, seq };
  });
}

/** A dialog takes no key in the moment in which it is drawn. By then it may have been answered. */
async function untilReady(session: LiveSession, row: SessionRow, deed: Deed): Promise<SessionRow> {
  const deadline = performance.now() + TAKEN_MS;
  let now = row;
  while (now.waiting !== null && performance.now() < deadline) {
    const restMs = await session.delivery.untilReadyMs(deed, now.waiting);
    if (restMs <= 0) break;
    await sleep(restMs);
    now = (await session.row()) ?? now;
    checkInTurn(now);
  }
  return now;
}

/** Requests within a turn. At any other dialog the same key could mean "leave". */
const IN_TURN: readonly WaitingFor[] = ["permission", "question"];

function checkInTurn(row: SessionRow): void {
  if (row.state === "running" || (row.waiting !== null && IN_TURN.includes(row.waiting.for))) return;
  const isAtPrompt = row.waiting?.for === "prompt";
  const where = isAtPrompt ? "at its prompt" : row.waiting ? `in a dialog (${row.waiting.for})` : row.state;
  throw new RollcallError("wrong_state", `Session ${row.id} is ${where}; there is nothing to interrupt.`, {
    hint: `See \`rollcall get ${row.id}\`.`,
  });
}

/** A queued text begins the next turn at once; then only a notice says that the turn before has ended. */
function isTurnOver({ body }: FeedEvent): boolean {
  if (body.kind === "entry_added") return body.entry.name === INTERRUPTED;
  if (body.kind === "turn_ended") return true;
  return body.kind === "ended" || waitingForAfter(body) === "prompt";
}
