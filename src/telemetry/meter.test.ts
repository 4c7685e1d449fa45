import { describe, expect, test } from "vitest";
import { Meter } from "./meter.ts";
import { mapIo, TICK_MS } from "./process-scan.ts";
import type { TreeReading } from "./process-tree.ts";

const NEW = { sinceMs: 1000, countedCpuMs: 0, ioBefore: mapIo(() => 0) };

describe("processor time", () => {
  test("is not clamped: two busy processors are 200 percent", () => {
    const meter = new Meter({ ...NEW, sinceMs: 10_000 }, 0);
    meter.measure(tree({ a: [0, 0], b: [0, 0] }), 0);
    expect(meter.measure(tree({ a: [ticks(1000), 0], b: [ticks(1000), 0] }), 1000).cpuPercent).toBe(200);
  });

  test("of the first measurement is that since the launch", () => {
    const meter = new Meter({ ...NEW, sinceMs: 4000 }, 0);
    expect(meter.measure(tree({ a: [ticks(1000), 0] }), 0)).toMatchObject({ cpuPercent: 25, overMs: 4000 });
  });

  test("goes on from what a daemon before this one counted", () => {
    const meter = new Meter({ ...NEW, sinceMs: 2000, countedCpuMs: 900 }, 0);
    expect(meter.measure(tree({ a: [ticks(1500), 0] }), 0).cpuPercent).toBe(30);
  });

  test.each([
    ["was waited for: all of its time once", [1200, 200], 30],
    ["was forgotten by the kernel: what the others used", [1100, 0], 10],
  ] as const)("of a process that left and %s", (_, [own, reaped], percent) => {
    const meter = new Meter(NEW, 0);
    meter.measure(tree({ a: [ticks(1000), 0], b: [ticks(100), 0] }), 0);
    const after = meter.measure(tree({ a: [ticks(own), ticks(reaped)] }), 1000);
    expect(after.cpuPercent).toBe(percent);
  });

  test("of a process that one reading misses on its way to its parent is counted once", () => {
    const meter = new Meter(NEW, 0);
    meter.measure(tree({ a: [0, 0], b: [ticks(500), 0] }), 0);
    expect(meter.measure(tree({ a: [0, 0] }), 1000).cpuPercent).toBe(0);
    expect(meter.measure(tree({ a: [0, ticks(600)] }), 2000).cpuPercent).toBe(10);
  });
});

describe("input and output", () => {
  test("go on after those of earlier launches", () => {
    const meter = new Meter({ ...NEW, ioBefore: mapIo(() => 1000) }, 0);
    expect(meter.measure(tree({}, 10), 0).ioWriteBytes).toBe(1010);
  });

  test.each([
    ["for one reading", [100, 60, 130], [100, 100, 130]],
    ["for good", [100, 60, 60, 70], [100, 100, 100, 110]],
  ] as const)("never fall where the sum falls %s", (_, sums, counted) => {
    const meter = new Meter(NEW, 0);
    expect(sums.map((sum, at) => meter.measure(tree({}, sum), at).ioReadChars)).toEqual(counted);
  });

  test("are not measured where the kernel does not tell", () => {
    expect(new Meter(NEW, 0).measure(tree({}, null), 0).ioReadBytes).toBeNull();
  });
});

function ticks(ms: number): number {
  return ms / TICK_MS;
}

function tree(
  processes: Readonly<Record<string, readonly [own: number, reaped: number]>>,
  io: number | null = 0,
): TreeReading {
  const all = Object.entries(processes).map(([key, [own, reaped]]) => [key, { own, reaped }] as const);
  return {
    processes: all.length,
    rssBytes: 0,
    vszBytes: 0,
    ticks: new Map(all),
    io: io === null ? null : mapIo(() => io),
  };
}
