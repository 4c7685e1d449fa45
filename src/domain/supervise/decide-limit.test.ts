import { expect, test } from "vitest";
import {
  actionsOf,
  actsOf,
  exited,
  launched,
  observe,
  PAUSE,
  said,
  starting,
} from "../../testing/carried.ts";
import type { TimeLimitKind } from "../limits/limit.ts";
import { isCounting } from "./decide-limit.ts";
import type { Observation } from "./observation.ts";
import { AT_PROMPT } from "./signal.ts";

const MINUTE = 60_000;
const running = () => observe(starting(), launched(), said("working"));

function passed(passedMs: number, kind: TimeLimitKind = "timeout"): Observation {
  return { saw: "limit_passed", limit: { kind, allowed: MINUTE, unit: "ms" }, passedMs, graceMs: 5 };
}

test("a limit that is far is looked at again when it comes near", () => {
  expect(actionsOf(running(), passed(10_000))).toEqual([
    { do: "check_limit", limit: "timeout", afterMs: 38_000 },
  ]);
});

test("a limit that comes near is announced, and looked at again when it is used up", () => {
  expect(actionsOf(running(), passed(48_000))).toEqual([
    { do: "append", body: { kind: "limit_neared", limit: { kind: "timeout", allowed: MINUTE, unit: "ms" } } },
    { do: "check_limit", limit: "timeout", afterMs: 12_000 },
  ]);
});

test("an announced limit changes nothing else in the row", () => {
  const row = running();
  const { carried, ...rest } = observe(row, passed(48_000));
  expect({ ...rest, carried: { ...carried, neared: undefined } }).toEqual({ ...row, seq: row.seq + 1 });
});

test("a limit is announced once per counting period", () => {
  const announced = observe(running(), passed(48_000));
  expect(actsOf(announced, passed(55_000))).toEqual(["check_limit"]);
  expect(actsOf(announced, passed(55_000, "idle_timeout"))).toEqual(["append", "check_limit"]);
});

test("a limit is announced again when its counting period began anew", () => {
  const announced = observe(running(), passed(48_000, "idle_timeout"));
  const later = { ...announced, carried: announced.carried && { ...announced.carried, neared: LONG_AGO } };
  expect(actsOf(later, passed(48_000, "idle_timeout"))).toEqual(["append", "check_limit"]);
});

const LONG_AGO = { idle_timeout: "2020-01-01T00:00:00.000Z" };

test("a limit that is used up ends the session with the grace", () => {
  expect(actionsOf(running(), passed(MINUTE)).at(-1)).toEqual({ do: "end_tree", graceMs: 5 });
});

test("no limit counts after the end", () => {
  expect(actionsOf(observe(running(), exited(0)), passed(MINUTE))).toEqual([]);
});

const REQUEST = { state: "waiting_input", waiting: { ...AT_PROMPT, for: "permission", since: "" } } as const;

test.each([
  ["while it works", running(), true],
  ["at the prompt", observe(running(), said("good")), true],
  ["at a request", { ...running(), ...REQUEST }, false],
  ["while it is paused", observe(running(), PAUSE), false],
])("idle time %s: counts %s", (_, row, counts) => {
  expect(isCounting("idle_timeout", row)).toBe(counts);
  expect(isCounting("timeout", row)).toBe(true);
});
