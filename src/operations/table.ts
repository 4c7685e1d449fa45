import { z } from "zod";
import { AGENT_TYPES, KINDS } from "../domain/session/session.ts";
import type { Operation } from "./operation.ts";
import {
  channel,
  cursor,
  done,
  durationMs,
  entry,
  outcome,
  session,
  sessionId,
  state,
  turn,
} from "./shapes.ts";

const text = z.string().max(1_000_000);
const short = z.string().max(4096);
const words = z.array(z.string().max(1_000_000)).max(10_000);
/** The channel of the caller goes into the event that the call makes. */
const call = { channel: channel.optional() };
/** The same key again within a day answers as the first call did, and does nothing. */
const key = z.string().min(1).max(200).optional();
const one = { session_id: sessionId, ...call };

/** Sums of a whole family stay exact far beyond it. */
const amount = z.int().min(1).max(1_000_000_000_000_000);

/** The input of a launch, whether it is the first of a session or a later one. */
const launch = {
  env: z.record(z.string(), z.string()),
  cwd: z.string().min(1).max(4096),
  umask: z.int().min(0).max(0o777).optional(),
  prompt: text.optional(),
  view: z.enum(["tmux"]).optional(),
  timeout_ms: durationMs.min(1).nullable().optional(),
  idle_timeout_ms: durationMs.min(1).nullable().optional(),
  max_cost_nano_usd: amount.nullable().optional(),
  max_tokens: amount.nullable().optional(),
};

const identity = {
  id: short.optional(),
  name: short.optional(),
  agent_name: short.optional(),
  role: short.optional(),
  model: short.optional(),
  purpose: short.optional(),
  goal: z.string().max(65_536).optional(),
  chain_id: short.optional(),
  task_id: short.optional(),
  parent_id: sessionId.optional(),
  metadata: z.record(z.string(), z.json()).optional(),
  workspace: short.optional(),
  file: z.boolean().optional(),
};

const waited = z.object({
  session,
  reached: state.nullable(),
  turn: turn.nullable(),
  /** The turn is over, and its transcript did not come in time. */
  is_late: z.boolean().optional(),
});

/** The single source of the daemon's doors: name, input, output, scope. Handlers are given to it. */
export const OPERATIONS = {
  start_session: {
    about: "Starts an agent or any command and carries it until its end.",
    scope: "input",
    input: z.strictObject({
      agent_type: z.enum(AGENT_TYPES),
      args: words,
      kind: z.enum(KINDS).optional(),
      ...identity,
      ...launch,
      ...call,
      closes_input: z.boolean().optional(),
      keep_children: z.boolean().optional(),
      wait_pattern: z.string().max(500).optional(),
      key,
    }),
    output: session,
  },
  resume_session: {
    about: "Goes on with the conversation of a session that has ended.",
    scope: "input",
    input: z.strictObject({
      ...one,
      ...launch,
      if_resumable: z.boolean().optional(),
    }),
    output: session,
  },
  fork_session: {
    about: "Begins a new session with a copy of the conversation so far.",
    scope: "input",
    input: z.strictObject({
      ...one,
      ...launch,
      name: short.optional(),
      metadata: z.record(z.string(), z.json()).optional(),
    }),
    output: session,
  },
  send_input: {
    about: "Gives a text to an agent as a person would type it.",
    scope: "input",
    input: z.strictObject({ ...one, text, key }),
    output: done.extend({ turn: z.int().nullable() }),
  },
  send_keys: {
    about: "Presses keys, such as `Enter`, `Escape`, `C-c`, `Up`.",
    scope: "input",
    input: z.strictObject({ ...one, keys: words.min(1) }),
    output: done,
  },
  answer_request: {
    about: "Approves, denies or answers what an agent asks.",
    scope: "input",
    input: z.strictObject({
      ...one,
      answer: z.enum(["approve", "deny", "choose"]),
      always: z.boolean().optional(),
      request_id: short.optional(),
      choice: text.optional(),
      reason: text.optional(),
    }),
    output: done,
  },
  interrupt_session: {
    about: "Stops the turn in progress; the agent stays.",
    scope: "input",
    input: z.strictObject(one),
    output: done,
  },
  pause_session: {
    about: "Stops all processes of a session until it is continued.",
    scope: "input",
    input: z.strictObject(one),
    output: done,
  },
  continue_session: {
    about: "Lets the processes of a paused session go on.",
    scope: "input",
    input: z.strictObject(one),
    output: done,
  },
  end_session: {
    about: "Ends a session so that no process is left, and says so only when that is proven.",
    scope: "input",
    input: z.strictObject({
      ...one,
      grace_ms: durationMs.optional(),
      outcome: outcome.optional(),
      wait: z.boolean().optional(),
      /** The session that asks to end itself is answered before it dies. */
      is_self: z.boolean().optional(),
    }),
    output: z.object({
      session,
      killed: z.int().nullable(),
      remaining: z.array(z.int()),
      children: z.array(sessionId),
      is_proven: z.boolean().optional(),
    }),
  },
  wait_for_session: {
    about: "Waits until sessions reach a state, or until a turn of one is over.",
    scope: "read",
    input: z.strictObject({
      session_ids: z.array(sessionId).min(1).max(1000),
      until: z.array(state).min(1).optional(),
      any: z.boolean().optional(),
      turn: z.int().min(1).optional(),
      after: z.int().min(0).optional(),
      timeout_ms: durationMs.optional(),
    }),
    output: z.object({ results: z.array(waited) }),
  },
  get_session_data: {
    about: "Reads what an agent said and what its screen shows.",
    scope: "read",
    input: z.strictObject({
      session_id: sessionId,
      tail: z.int().min(1).optional(),
      after: cursor.optional(),
      before: cursor.optional(),
      max_bytes: z.int().min(1000).max(1_000_000).optional(),
      with_rewound: z.boolean().optional(),
    }),
    output: z.object({
      session_id: sessionId,
      observability: z.enum(["live", "not_yet_observable", "transcript_lost", "ended"]),
      state,
      entries: z.array(entry),
      has_rewound: z.boolean(),
      screen: z.string().nullable(),
      truncated: z.boolean(),
      before: cursor.nullable(),
      after: cursor.nullable(),
    }),
  },
  explain_session: {
    about: "Tells why the state is what it is.",
    scope: "read",
    input: z.strictObject({ session_id: sessionId }),
    output: z.looseObject({ state, sources: z.array(z.looseObject({ source: z.string() })) }),
  },
  get_status: {
    about: "Tells how the daemon is.",
    scope: "read",
    input: z.strictObject({}),
    output: z.looseObject({ pid: z.int(), version: z.string(), live: z.int() }),
  },
  stop_daemon: {
    about: "Stops the daemon; agents run on unless they are to be ended too.",
    scope: "admin",
    input: z.strictObject({ end_all: z.boolean().optional(), grace_ms: durationMs.optional() }),
    output: z.object({ ended: z.array(sessionId), running: z.int() }),
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
