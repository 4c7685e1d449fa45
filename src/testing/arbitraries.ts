import fc, { type Arbitrary } from "fast-check";
import { ENTRY_KINDS, ENTRY_ROLES } from "../domain/entry.ts";
import type { EventBody, SessionEvent } from "../domain/event.ts";
import { SOURCES } from "../domain/evidence.ts";
import type { JsonObject } from "../domain/json.ts";
import { type Ending, OUTCOMES } from "../domain/outcome.ts";
import { FINAL_PHASES, type FinalPhase, PHASES, type Phase } from "../domain/phase.ts";
import { CHANNELS, DEFAULT_IDENTITY, KINDS, ORIGINS, type Waiting } from "../domain/session.ts";
import { isEnded, STATES, type State, WAITING_FOR } from "../domain/state.ts";
import type { UsageEntry } from "../domain/usage.ts";

const oneOf = <T>(list: readonly T[]) => fc.constantFrom(...list);
const word = fc.string({ maxLength: 8 });
const maybe = <T>(of: Arbitrary<T>) => fc.option(of, { nil: null });
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

const evidence = fc.record({ source: oneOf(SOURCES), rule: word, excerpt: maybe(word) });

const waiting: Arbitrary<Waiting> = fc.record({
  for: oneOf(WAITING_FOR),
  requestId: maybe(word),
  tool: maybe(word),
  input: maybe(metadata),
  question: maybe(word),
  options: maybe(fc.array(word, { maxLength: 3 })),
  since: instants,
});

const lastTurn = oneOf(["good", "aborted", "failed", null] as const);
const endings: Arbitrary<Ending> = fc.oneof(
  fc.record(
    { how: fc.constant("asked" as const), atPrompt: fc.boolean(), lastTurn, outcome: oneOf(OUTCOMES) },
    { requiredKeys: ["how", "atPrompt", "lastTurn"] },
  ) as Arbitrary<Ending>,
  fc.record({ how: fc.constant("left" as const), clean: fc.boolean(), tellsTurns: fc.boolean(), lastTurn }),
  fc.constant({ how: "limit" } as const),
  fc.record({ how: fc.constant("declared" as const), outcome: maybe(oneOf(OUTCOMES)) }),
);

const creations: Arbitrary<EventBody> = fc.record(
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
  },
  { requiredKeys: ["kind", "identity", "origin", "state", "evidence", "process", "hasFile"] },
) as Arbitrary<EventBody>;

const changes: Arbitrary<EventBody> = fc.record(
  {
    kind: fc.constant("state_changed" as const),
    to: oneOf(STATES),
    evidence,
    generation: fc.integer({ min: 1, max: 4 }),
    waiting,
    ending: endings,
    exitCode: fc.integer({ min: 0, max: 255 }),
    exitSignal: oneOf(["SIGTERM", "SIGKILL"]),
    endReason: word,
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
  fc.record({
    kind: fc.constant("entry_added" as const),
    entry: fc.record({
      role: oneOf(ENTRY_ROLES),
      kind: oneOf(ENTRY_KINDS),
      text: maybe(word),
      tool: fc.constant(null),
    }),
  }),
);

/** Anything that may be said of a session, in any order; final events are rare, so that much happens before them. */
export const bodies = fc.oneof(
  { weight: 6, arbitrary: changes },
  { weight: 4, arbitrary: updates },
  { weight: 1, arbitrary: finals },
  { weight: 3, arbitrary: others },
  { weight: 1, arbitrary: creations },
);

/** The whole life of one session, from its creation on. */
export const lives: Arbitrary<SessionEvent[]> = fc
  .tuple(
    fc.record({ body: creations, at: instants }),
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
