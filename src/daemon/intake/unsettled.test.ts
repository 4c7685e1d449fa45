import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Signal } from "../../domain/supervise/signal.ts";
import { Unsettled } from "./unsettled.ts";

const WORKING: Signal = { source: "terminal", rule: "report_working", excerpt: null, says: "working" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function newUnsettled(): { readonly told: Signal[]; readonly unsettled: Unsettled } {
  const told: Signal[] = [];
  return { told, unsettled: new Unsettled((signal) => told.push(signal)) };
}

test("a word that is held back is told when its time is over, and not before", () => {
  const { told, unsettled } = newUnsettled();
  unsettled.hold(WORKING, 100);
  vi.advanceTimersByTime(99);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([WORKING]);
  expect(unsettled.take()).toBeUndefined();
});

test("a word that was taken is not told", () => {
  const { told, unsettled } = newUnsettled();
  unsettled.hold(WORKING, 100);
  expect(unsettled.take()).toBe(WORKING);
  vi.advanceTimersByTime(1000);
  expect(told).toEqual([]);
});

test("only the same word of the same source counts as a repetition", () => {
  const { unsettled } = newUnsettled();
  expect(unsettled.holds(WORKING)).toBe(false);
  unsettled.hold(WORKING, 100);
  expect(unsettled.holds({ ...WORKING, excerpt: "again" })).toBe(true);
  expect(unsettled.holds({ ...WORKING, source: "transcript", rule: "rollout_task_started" })).toBe(false);
  expect(unsettled.holds({ ...WORKING, rule: "report_done", says: "ready" })).toBe(false);
});
