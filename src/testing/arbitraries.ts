import fc, { type Arbitrary } from "fast-check";
import type { JsonObject } from "../domain/json.ts";
import { type Budget, type Limit, TIME_LIMITS } from "../domain/limits/limit.ts";
import { HOSTS, type Launch } from "../domain/session/carried.ts";
import { SOURCES } from "../domain/session/evidence.ts";
import type { ProcessIdentity, Waiting } from "../domain/session/session.ts";
import { WAITING_FOR } from "../domain/session/state.ts";
import type { UsageEntry } from "../domain/usage.ts";

export const oneOf = <T>(list: readonly T[]) => fc.constantFrom(...list);
export const word = fc.string({ maxLength: 8 });
export const maybe = <T>(of: Arbitrary<T>) => fc.option(of, { nil: null });
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

/** Few of them, so that they come again. */
export const processes: Arbitrary<ProcessIdentity> = fc.record({
  pid: fc.integer({ min: 2, max: 5 }),
  startTime: oneOf(["1", "2"]),
  bootId: oneOf(["boot-a", "boot-b"]),
});

export const budget: Arbitrary<Budget> = fc.oneof(
  fc.record({
    kind: fc.constant("max_cost" as const),
    allowed: fc.nat(),
    unit: fc.constant("nano_usd" as const),
  }),
  fc.record({
    kind: fc.constant("max_tokens" as const),
    allowed: fc.nat(),
    unit: fc.constant("tokens" as const),
  }),
);

export const limit: Arbitrary<Limit> = fc.oneof(
  fc.record({ kind: oneOf(TIME_LIMITS), allowed: fc.nat(), unit: fc.constant("ms" as const) }),
  budget,
);

export const launches: Arbitrary<Launch> = fc.record({
  marker: word,
  at: instants,
  host: oneOf(HOSTS),
  mode: word,
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

export const generation = fc.integer({ min: 1, max: 4 });

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
  tokensCacheWriteHour: fc.constant(null),
  tokensReasoning: tokens,
  webSearches: maybe(fc.nat({ max: 9 })),
  serviceTier: maybe(word),
  speed: maybe(fc.constantFrom("standard", "fast")),
  reportedNanoUsd: nanoUsd,
  computedNanoUsd: nanoUsd,
  pricedBy: maybe(word),
});
