import { type Instant, later } from "../time.ts";
import { firstTextAfter } from "./about.ts";
import { taken } from "./apply-turn.ts";
import type { EventBody } from "./event.ts";
import type { SessionRow } from "./session.ts";

type Body<K extends EventBody["kind"]> = Extract<EventBody, { kind: K }>;

export function addEntry(row: SessionRow, body: Body<"entry_added">): SessionRow {
  const isText = isUserText(body);
  const isCounted = isText && row.carried?.launch.tellsTurns !== true && row.origin !== "observed";
  const turns = row.turns + (isCounted ? 1 : 0);
  const next = { ...row, turns, firstText: firstTextAfter(row, body), ...(isText ? taken(row) : {}) };
  if (!body.consumed || row.carried === null) return next;
  const { stream, offset } = body.consumed;
  return { ...next, carried: { ...row.carried, consumed: { ...row.carried.consumed, [stream]: offset } } };
}

export function giveInput(row: SessionRow, body: Body<"input_given">, at: Instant): SessionRow {
  if (body.generation < row.generation) return row;
  const isPromptGiven = body.by === "prompt";
  const { turn } = row;
  return {
    ...row,
    ...(turn !== null && turn.number === body.turn && body.isQueued !== true
      ? { turn: { ...turn, givenAt: at } }
      : {}),
    firstText: firstTextAfter(row, body),
    lastInputAt: later(row.lastInputAt ?? at, at),
    ...(row.carried !== null && isPromptGiven ? { carried: { ...row.carried, isPromptGiven } } : {}),
  };
}

function isUserText(body: Body<"entry_added">): boolean {
  return body.entry.role === "user" && body.entry.kind === "text";
}
