import fc, { type Arbitrary } from "fast-check";
import { SOURCES } from "../domain/session/evidence.ts";
import { OUTCOMES } from "../domain/session/outcome.ts";
import type { Observation, Traces, TreeExit } from "../domain/supervise/observation.ts";
import type { Signal } from "../domain/supervise/signal.ts";
import { evidence, instants, maybe, oneOf, processes, waiting, word } from "./arbitraries.ts";

const says = <S extends Observation["saw"]>(saw: S) => fc.constant(saw);
const limit = oneOf(["timeout", "idle_timeout"] as const);
const leftovers = fc.array(processes, { maxLength: 2 });
const asked = waiting.map(({ since: _, ...rest }) => ({
  ...rest,
  for: rest.for === "prompt" ? ("dialog" as const) : rest.for,
}));

const signals = fc
  .record({
    evidence,
    fillsGap: fc.boolean(),
    ifUnreported: fc.boolean(),
    said: fc.oneof(
      fc.record({ says: oneOf(["loading", "working", "ready"] as const) }),
      fc.record({ says: fc.constant("ready" as const), turn: oneOf(["good", "aborted", "failed"] as const) }),
      fc.record({ says: fc.constant("asking" as const), asked }),
    ),
  })
  .map(
    ({ evidence, fillsGap, ifUnreported, said }): Signal => ({
      ...evidence,
      fillsGap,
      ifUnreported,
      ...said,
    }),
  );

const exits: Arbitrary<TreeExit> = fc.record({
  agent: fc.record({
    code: maybe(oneOf([0, 1, 143])),
    signal: maybe(oneOf(["SIGTERM", "SIGKILL"])),
    at: maybe(instants),
  }),
  reason: oneOf(["exited", "asked", "exec_failed", "holder_lost"] as const),
  error: maybe(word),
  tree: fc.record({
    state: oneOf(["ending", "empty", "kept", "blocked"] as const),
    killed: fc.nat({ max: 3 }),
    remaining: fc.array(fc.nat({ max: 9 }), { maxLength: 2 }),
  }),
});

const traces: Arbitrary<Traces> = fc.record({
  bootId: oneOf(["boot-a", "boot-b"]),
  ageMs: oneOf([-1, 0, 9999, 10_000, 60_000]),
  holderBootId: maybe(oneOf(["boot-a", "boot-b"])),
  isHolderAlive: fc.boolean(),
  isGuardAlive: fc.boolean(),
  agent: maybe(processes),
  exit: maybe(exits),
  leftovers,
  survivors: leftovers,
  wasEmpty: fc.boolean(),
});

/** Anything that a daemon may see, sensible or not. */
export const observations: Arbitrary<Observation> = fc.oneof(
  fc.record({ saw: says("launched"), process: processes, isReady: fc.boolean() }),
  fc.record({ saw: says("launch_failed"), error: word, step: word }),
  fc.record({ saw: says("signal"), signal: signals, trust: fc.shuffledSubarray([...SOURCES]) }),
  fc.record({ saw: says("exit"), exit: exits, leftovers, tellsTurns: fc.boolean() }),
  fc.record({ saw: says("holder_gone") }),
  fc.record({
    saw: says("text_given"),
    by: oneOf(["prompt", "send"] as const),
    text: word,
    isCommand: fc.boolean(),
    isBehindQueued: fc.boolean(),
  }),
  fc.record({ saw: says("text_written") }),
  fc.record({ saw: says("text_taken"), evidence }),
  fc.record({ saw: says("text_not_taken"), turn: fc.integer({ min: 1, max: 5 }), afterMs: fc.nat() }),
  fc.record({ saw: says("command_shown"), turn: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ saw: says("traces"), traces, tellsTurns: fc.boolean() }),
  fc.record(
    { saw: says("end_asked"), graceMs: fc.nat(), outcome: oneOf(OUTCOMES) },
    { requiredKeys: ["saw", "graceMs"] },
  ) as Arbitrary<Observation>,
  fc.record({ saw: says("adopted"), graceMs: fc.nat() }),
  fc.record({ saw: says("end_recorded"), graceMs: fc.nat() }),
  fc.record({
    saw: says("limit_passed"),
    limit: fc.record({ kind: limit, allowed: fc.nat(), unit: fc.constant("ms" as const) }),
    passedMs: fc.nat(),
    graceMs: fc.nat(),
  }),
  fc.record({ saw: says("not_ready"), afterMs: fc.nat() }),
  fc.record({ saw: says("pause_asked") }),
  fc.record({ saw: says("continue_asked") }),
);
