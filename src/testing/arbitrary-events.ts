import fc, { type Arbitrary } from "fast-check";
import { type ModelTotal, TOTALS_SOURCES } from "../domain/reported-totals.ts";
import type { StateEvent } from "../domain/session/event.ts";
import { type EventBody, INPUT_KINDS, type SessionEvent } from "../domain/session/event.ts";
import { type End, type Ending, OUTCOMES } from "../domain/session/outcome.ts";
import { FINAL_PHASES, type FinalPhase, PHASES, type Phase } from "../domain/session/phase.ts";
import { CHANNELS, DEFAULT_IDENTITY, KINDS, ORIGINS, type Request } from "../domain/session/session.ts";
import {
  DECLARED_STATUS,
  isEnded,
  LIVE_STATES,
  LOSSES,
  STATES,
  STATUSES,
  type State,
} from "../domain/session/state.ts";
import { ENTRY_KINDS, ENTRY_ROLES } from "../domain/transcript/entry.ts";
import { addToLedger, EMPTY_LEDGER, type UsageEntry, usageOfLedger } from "../domain/usage.ts";
import {
  budget,
  evidence,
  generation,
  instants,
  launches,
  limit,
  maybe,
  metadata,
  oneOf,
  processes,
  requests,
  waiting,
  word,
} from "./arbitraries.ts";

const OPEN_PHASES = PHASES.filter(
  (phase): phase is Exclude<Phase, FinalPhase> => !(FINAL_PHASES as readonly Phase[]).includes(phase),
);
const BEGINNINGS = STATES.filter((state): state is Exclude<State, "stopped" | "failed"> => !isEnded(state));

const TURNS = ["good", "aborted", "failed"] as const;
const lastTurn = oneOf([...TURNS, null]);
const outcome = maybe(oneOf(OUTCOMES));
const endings: Arbitrary<Ending> = fc.oneof(
  fc.record({ how: fc.constant("asked" as const), atPrompt: fc.boolean(), lastTurn, outcome }),
  fc.record({ how: fc.constant("left" as const), clean: fc.boolean(), tellsTurns: fc.boolean(), lastTurn }),
  fc.constant({ how: "limit" } as const),
);

type Created = Extract<EventBody, { kind: "created" }>;

const records: Arbitrary<Created> = fc.record(
  {
    kind: fc.constant("created" as const),
    identity: fc
      .record({
        name: maybe(word),
        kind: oneOf(KINDS),
        channel: oneOf(CHANNELS),
        nativeId: maybe(word),
        metadata,
      })
      .map((given) => ({ ...DEFAULT_IDENTITY, ...given })),
    origin: oneOf(ORIGINS),
    state: oneOf(BEGINNINGS),
    evidence,
    process: fc.constant(null),
    hasFile: fc.boolean(),
    createdAt: instants,
    launch: launches,
  },
  { requiredKeys: ["kind", "identity", "origin", "state", "evidence", "process", "hasFile"] },
) as Arbitrary<Created>;

/** Only what was started may be carried. */
const creations: Arbitrary<Created> = records.map(({ launch, ...body }) =>
  body.origin === "started" && launch ? { ...body, launch } : body,
);

const asked: Arbitrary<Request> = waiting.map((wait) => ({
  ...wait,
  for: wait.for === "prompt" ? "dialog" : wait.for,
  requestId: wait.requestId ?? "r1",
}));
const exits = fc.record({
  code: maybe(fc.integer({ min: 0, max: 255 })),
  signal: maybe(oneOf(["SIGTERM", "SIGKILL"])),
  at: maybe(instants),
  killed: fc.nat({ max: 9 }),
});
const ends: Arbitrary<End> = fc.oneof(
  fc.record({ state: fc.constant("stopped" as const), outcome }),
  fc.constant({ state: "failed", outcome: "failure" } as const),
);
const endReason = maybe(oneOf(["timeout", "crash"]));
const why = { evidence, generation };

/** One of each kind that leads to a state. */
const STATE_EVENTS = {
  at_work: fc.record({ state: fc.constant("running" as const), ...why }),
  at_prompt: fc.record({ state: fc.constant("waiting_input" as const), ...why }),
  asked: fc.record({ state: fc.constant("waiting_input" as const), waiting: asked, ...why }),
  answered: fc.record({
    state: oneOf(["running", "starting", "resuming"] as const),
    requestId: word,
    ...why,
  }),
  paused: fc.record({ state: fc.constant("paused" as const), ...why }),
  continued: fc.record({ state: oneOf(LIVE_STATES), waiting: maybe(waiting), ...why }),
  resumed: fc.record({ state: fc.constant("resuming" as const), launch: maybe(launches), ...why }),
  end_began: fc.record({
    state: fc.constant("stopping" as const),
    ending: maybe(endings),
    endReason,
    ...why,
  }),
  ended: fc
    .tuple(ends, fc.record({ how: endings.map(({ how }) => how), exit: maybe(exits), endReason, ...why }))
    .map(([end, more]) => ({ ...more, ...end })),
  lost: fc.record({ state: fc.constant("unknown" as const), endReason: oneOf(LOSSES), ...why }),
  silent: fc.record({ state: fc.constant("unknown" as const), ...why }),
  reconciled: fc.record({ state: fc.constant("unknown" as const), evidence }),
  status_declared: fc
    .tuple(oneOf(STATUSES), evidence)
    .map(([status, said]) => ({ ...DECLARED_STATUS[status], evidence: said })),
} satisfies { [K in StateEvent["kind"]]: Arbitrary<Omit<Extract<StateEvent, { kind: K }>, "kind">> };

const changes: Arbitrary<EventBody> = fc.oneof(
  ...Object.entries<Arbitrary<object>>(STATE_EVENTS).map(
    ([kind, fields]) => fields.map((given) => ({ kind, ...given })) as Arbitrary<EventBody>,
  ),
);

const updates: Arbitrary<EventBody> = fc.record(
  {
    kind: fc.constant("updated" as const),
    phase: oneOf(OPEN_PHASES),
    metadata,
    error: word,
    name: maybe(word),
    resumeReady: fc.boolean(),
  },
  { requiredKeys: ["kind"] },
) as Arbitrary<EventBody>;

const finals: Arbitrary<EventBody> = fc.record({
  kind: fc.constant("finalized" as const),
  phase: oneOf(FINAL_PHASES),
  summary: maybe(word),
  inHistory: fc.boolean(),
});

const others: Arbitrary<EventBody> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("identified" as const),
      identity: fc.record({ model: maybe(word) }),
      lastActiveAt: instants,
    },
    { requiredKeys: ["kind", "identity"] },
  ) as Arbitrary<EventBody>,
  fc.record({
    kind: fc.constant("totals_declared" as const),
    totals: fc.record({ tokensInput: maybe(fc.nat()), costUsd: maybe(fc.constant(0.5)) }),
  }),
  fc.record(
    {
      kind: fc.constant("entry_added" as const),
      entry: fc.record({
        role: oneOf(ENTRY_ROLES),
        kind: oneOf(ENTRY_KINDS),
        text: maybe(word),
        tool: fc.constant(null),
      }),
      consumed: fc.record({ stream: oneOf(["out", "err"] as const), offset: fc.nat() }),
    },
    { requiredKeys: ["kind", "entry"] },
  ) as Arbitrary<EventBody>,
);

const tokens = maybe(fc.nat(1e9));
const modelTotals: Arbitrary<ModelTotal> = fc.record({
  model: maybe(word),
  tokensInput: tokens,
  tokensOutput: tokens,
  tokensCacheRead: tokens,
  tokensCacheWrite: tokens,
  nanoUsd: tokens,
});

/** Events that only a session has whose process Rollcall carries. */
const carrying: Arbitrary<EventBody> = fc.oneof(
  fc.record({ kind: fc.constant("launched" as const), process: processes, generation }),
  fc.record({ kind: fc.constant("input_given" as const), by: oneOf(INPUT_KINDS), generation, text: word }),
  fc.record({ kind: fc.constant("usage_changed" as const), usage: requests.map(usageOfOne) }),
  fc.record({
    kind: fc.constant("totals_reported" as const),
    source: oneOf(TOTALS_SOURCES),
    countsSubagents: fc.boolean(),
    total: fc.array(modelTotals, { maxLength: 2 }),
    sinceLast: maybe(fc.array(modelTotals, { maxLength: 2 })),
  }),
  fc.record({ kind: fc.constant("limit_neared" as const), limit }),
  fc.record({ kind: fc.constant("limit_uncounted" as const), limit: budget, model: maybe(word) }),
  fc.record(
    {
      kind: fc.constant("turn_began" as const),
      number: fc.integer({ min: 1, max: 5 }),
      generation,
      by: oneOf(["text", "agent"] as const),
      about: word,
    },
    { requiredKeys: ["kind", "number", "generation", "by"] },
  ),
  fc.record({
    kind: fc.constant("turn_ended" as const),
    number: fc.integer({ min: 1, max: 5 }),
    generation,
    outcome: maybe(oneOf(OUTCOMES)),
    error: maybe(word),
  }),
);

/** Anything that may be said of a session, in any order; final events are rare, so that much happens before them. */
export const bodies = fc.oneof(
  { weight: 6, arbitrary: changes },
  { weight: 4, arbitrary: updates },
  { weight: 1, arbitrary: finals },
  { weight: 3, arbitrary: others },
  { weight: 2, arbitrary: carrying },
  { weight: 1, arbitrary: creations },
);

/** The whole life of one session, from its creation on. */
export const lives = livesOf(creations);

/** The lives of sessions whose process Rollcall carries. */
export const carriedLives = livesOf(
  fc.tuple(records, launches).map(([body, launch]) => ({ ...body, origin: "started", launch })),
);

function usageOfOne(request: UsageEntry) {
  return usageOfLedger(addToLedger(EMPTY_LEDGER, request), null);
}

function livesOf(beginnings: Arbitrary<Created>): Arbitrary<SessionEvent[]> {
  return fc
    .tuple(
      fc.record({ body: beginnings, at: instants }),
      fc.array(fc.record({ body: bodies, at: instants }), { maxLength: 40 }),
    )
    .map(([first, rest]) =>
      [first, ...rest].map(({ body, at }, index) => ({
        id: `event-${index}`,
        at,
        channel: "api" as const,
        sessionId: "s",
        seq: index + 1,
        body,
      })),
    );
}
