import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Signal } from "../domain/signal.ts";
import { Unsettled } from "./unsettled.ts";

const WORKING: Signal = { source: "terminal", rule: "test", excerpt: null, says: "working", settleMs: 500 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a word is told once it has lasted", () => {
  const told: Signal[] = [];
  new Unsettled((signal) => told.push(signal)).hold(WORKING, 500);
  vi.advanceTimersByTime(499);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([WORKING]);
});

test("a word that was taken is not told any more", () => {
  const told: Signal[] = [];
  const unsettled = new Unsettled((signal) => told.push(signal));
  unsettled.hold(WORKING, 500);
  expect([unsettled.take(), unsettled.take()]).toEqual([WORKING, undefined]);
  vi.advanceTimersByTime(1000);
  expect(told).toEqual([]);
});
