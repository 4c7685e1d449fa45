import { z } from "zod";
import { OUTCOMES } from "../domain/session/outcome.ts";
import { AGENT_TYPES, CHANNELS, KINDS } from "../domain/session/session.ts";
import { STATES, WAITING_FOR } from "../domain/session/state.ts";
import { TURN_STATES } from "../domain/session/turn.ts";
import { LONGEST_DURATION_MS } from "../domain/time.ts";
import { ENTRY_KINDS, ENTRY_ROLES } from "../domain/transcript/entry.ts";
import { CURSOR_PATTERN } from "../domain/transcript/entry-cursor.ts";

export const sessionId = z.string().min(1).max(128);
export const durationMs = z.int().min(0).max(LONGEST_DURATION_MS);
export const channel = z.enum(CHANNELS);
export const outcome = z.enum(OUTCOMES);
export const state = z.enum(STATES);

const waiting = z.looseObject({
  for: z.enum(WAITING_FOR),
  request_id: z.string().nullable(),
  question: z.string().nullable(),
});

export const turn = z.object({
  number: z.int(),
  state: z.enum(TURN_STATES),
  outcome: outcome.nullable(),
  error: z.string().nullable(),
  began_at: z.string(),
  ended_at: z.string().nullable(),
});

/** The record of a session; the whole of it is described by the glossary. */
export const session = z.looseObject({
  id: sessionId,
  agent_type: z.enum(AGENT_TYPES),
  kind: z.enum(KINDS),
  state,
  waiting: waiting.nullable(),
  turn: turn.nullable(),
  outcome: outcome.nullable(),
  exit_code: z.int().nullable(),
  generation: z.int(),
  seq: z.int(),
});

/** Answered by every verb that only does something. */
export const done = z.object({ session_id: sessionId, seq: z.int() });

/** A place in a transcript, also inside an entry. */
export const cursor = z.string().regex(CURSOR_PATTERN);

/** Whole, or a part of one that is larger than a reply. */
export const entry = z.looseObject({
  seq: z.int(),
  at: z.string(),
  role: z.enum(ENTRY_ROLES),
  kind: z.enum(ENTRY_KINDS),
  text: z.string().nullable(),
  tool: z.looseObject({ name: z.string() }).nullable(),
  part: z.object({ from: z.int(), to: z.int(), of: z.int() }).optional(),
  rest_json: z.string().optional(),
});
