import { describe, expect, test } from "vitest";
import { Playhead } from "./playhead.ts";

function playhead({ speed = 1, fromMs = 0 } = {}) {
  const clock = { ms: 1000 };
  const head = new Playhead({ durationMs: 10_000, speed, fromMs, now: () => clock.ms });
  const pass = (ms: number) => {
    clock.ms += ms;
  };
  return { head, pass };
}

describe("the head of a replay", () => {
  test("goes on with the clock, as many times as fast as it is told, and stops at the end", () => {
    const { head, pass } = playhead({ speed: 2, fromMs: 1000 });
    pass(3000);
    expect([head.ms, head.isRunning]).toEqual([7000, true]);
    pass(3000);
    expect([head.ms, head.isAtEnd, head.isRunning]).toEqual([10_000, true, false]);
  });

  test("stands still while it is paused, and at the end begins anew", () => {
    const { head, pass } = playhead();
    pass(500);
    head.toggle();
    pass(500);
    expect([head.ms, head.isRunning]).toEqual([500, false]);
    head.toggle();
    pass(500);
    expect(head.ms).toBe(1000);
    pass(60_000);
    head.toggle();
    expect([head.ms, head.isRunning]).toEqual([0, true]);
  });

  test("seeks within its length, paused or not", () => {
    const { head, pass } = playhead();
    head.seek(-5);
    expect(head.ms).toBe(0);
    head.toggle();
    head.seek(99_999);
    expect(head.ms).toBe(10_000);
    head.seek(4000);
    pass(1000);
    expect([head.ms, head.isRunning]).toEqual([4000, false]);
  });

  test("changes its speed where it stands, within bounds", () => {
    const { head, pass } = playhead();
    pass(1000);
    head.setSpeed(2);
    pass(1000);
    expect(head.ms).toBe(3000);
    for (let i = 0; i < 20; i++) head.setSpeed(2);
    expect(head.speed).toBe(64);
    for (let i = 0; i < 20; i++) head.setSpeed(0.5);
    expect(head.speed).toBe(0.25);
  });

  test("tells how long it is until a time, and nothing while it is paused", () => {
    const { head } = playhead({ speed: 2 });
    expect(head.msUntil(4000)).toBe(2000);
    head.toggle();
    expect(head.msUntil(4000)).toBeUndefined();
  });
});
