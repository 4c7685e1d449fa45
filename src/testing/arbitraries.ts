import fc, { type Arbitrary } from "fast-check";
import type { JsonObject } from "../domain/json.ts";
import { HOSTS, type Launch, LIMIT_KINDS, type Limit } from "../domain/session/carried.ts";
import { type EventBody, INPUT_KINDS, type SessionEvent } from "../domain/session/event.ts";
import { SOURCES } from "../domain/session/evidence.ts";
import { type Ending, OUTCOMES } from "../domain/session/outcome.ts";
import { FINAL_PHASES, type FinalPhase, PHASES, type Phase } from "../domain/session/phase.ts";
import {
  CHANNELS,
  DEFAULT_IDENTITY,
  KINDS,
  ORIGINS,
  type ProcessIdentity,
  type Waiting,
} from "../domain/session/session.ts";
import { isEnded, STATES, type State, WAITING_FOR } from "../domain/session/state.ts";
import { ENTRY_KINDS, ENTRY_ROLES } from "../domain/transcript/entry.ts";
import type { UsageEntry } from "../domain/usage.ts";

export const oneOf = <T>(list: readonly T[]) => fc.constantFrom(...list);
export const word = fc.string({ maxLength: 8 });
export const maybe = <T>(of: Arbitrary<T>) => fc.option(of, { nil: null });
const OPEN_PHASES = PHASES.filter(
  (phase): phase is Exclude<Phase, FinalPhase> => !(FINAL_PHASES as readonly Phase[]).includes(phase),
);
const BEGINNINGS = STATES.filter((state): state is Exclude<State, "stopped" | "failed"> => !isEnded(state));

/** Within a few hours of each other, in any order: writers have clocks of their own. */
export const instants = fc
  .integer({ min: 0, max: 10_000_000 })
  .map((ms) => new Date(Date.UTC(2026, 0, 8) + ms).toISOString());

/** As JSON can say it: there is no -0 in a file. */
export const metadata: Arbitrary<JsonObject> = fc
  .dictionary(word, fc.jsonValue({ maxDepth: 2 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

export const evidence = fc.record({ source: oneOf(SOURCES), rule: word, excerpt: maybe(word) });

export const waiting: Arbitrary<Waiting> = fc.record({
  for: oneOf(WAITING_FOR),
  requestId: maybe(word),
  tool: maybe(word),
  input: maybe(metadata),
  question: maybe(word),
  options: maybe(fc.array(word, { maxLength: 3 })),
  since: instants,
});

const TURNS = ["good", "aborted", "failed"] as const;
const lastTurn = oneOf([...TURNS, null]);
const endings: Arbitrary<Ending> = fc.oneof(
  fc.record(
    { how: fc.constant("asked" as const), atPrompt: fc.boolean(), lastTurn, outcome: oneOf(OUTCOMES) },
    { requiredKeys: ["how", "atPrompt", "lastTurn"] },
  ) as Arbitrary<Ending>,
  fc.record({ how: fc.constant("left" as const), clean: fc.boolean(), tellsTurns: fc.boolean(), lastTurn }),
  fc.constant({ how: "limit" } as const),
  fc.record({ how: fc.constant("declared" as const), outcome: maybe(oneOf(OUTCOMES)) }),
);

/** Few of them, so that they come again. */
export const processes: Arbitrary<ProcessIdentity> = fc.record({
  pid: fc.integer({ min: 2, max: 5 }),
  startTime: oneOf(["1", "2"]),
  bootId: oneOf(["boot-a", "boot-b"]),
});

const limit: Arbitrary<Limit> = fc.record({
  kind: oneOf(LIMIT_KINDS),
  allowed: fc.nat(),
  unit: fc.constant("ms"),
});

const launches: Arbitrary<Launch> = fc.record({
  marker: word,
  at: instants,
  host: oneOf(HOSTS),
  view: fc.constant(null),
  args: fc.array(word, { maxLength: 2 }),
  cwd: word,
  envNames: fc.array(word, { maxLength: 2 }),
  hasPrompt: fc.boolean(),
  tellsTurns: fc.boolean(),
  closesInput: fc.boolean(),
  keepsChildren: fc.boolean(),
  limits: fc.array(limit, { maxLength: 2 }),
  waitPattern: maybe(word),
});

const generation = fc.integer({ min: 1, max: 4 });

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

const changes: Arbitrary<EventBody> = fc.record(
  {
    kind: fc.constant("state_changed" as const),
    to: oneOf(STATES),
    evidence,
    generation,
    waiting,
    ending: endings,
    exitCode: fc.integer({ min: 0, max: 255 }),
    exitSignal: oneOf(["SIGTERM", "SIGKILL"]),
    endReason: oneOf(["not_ready", "holder_lost", "timeout", "crash"]),
    killed: fc.nat({ max: 9 }),
    launch: launches,
  },
  { requiredKeys: ["kind", "to", "evidence"] },
) as Arbitrary<EventBody>;

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
  fc.record({ kind: fc.constant("reconciled" as const), evidence }),
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

/** What happens only to a session whose process Rollcall carries. */
const carrying: Arbitrary<EventBody> = fc.oneof(
  fc.record({ kind: fc.constant("launched" as const), process: processes, generation }),
  fc.record({ kind: fc.constant("input_given" as const), by: oneOf(INPUT_KINDS), generation, text: word }),
  fc.record({ kind: fc.constant("usage_changed" as const) }),
  fc.record({ kind: fc.constant("limit_neared" as const), limit }),
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

const tokens = maybe(fc.nat({ max: 1_000_000 }));
const nanoUsd = maybe(fc.nat({ max: 2_000_000_000 }));

export const requests: Arbitrary<UsageEntry> = fc.record({
  requestKey: fc.uuid(),
  at: instants,
  model: maybe(word),
  tokensInput: tokens,
  tokensOutput: tokens,
  tokensCacheRead: tokens,
  tokensCacheWrite: tokens,
  tokensReasoning: tokens,
  reportedNanoUsd: nanoUsd,
  computedNanoUsd: nanoUsd,
});
