import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sample } from "../testing/samples.ts";
import { addSample, mergeSamples, NO_SAMPLES, overLife, resourcesAfter, type Sample } from "./sample.ts";
import { NO_RESOURCES } from "./session/record.ts";

const AT = "2026-01-08T18:05:00.000Z";

describe("samples made into one", () => {
  test("have processor time on average by its time, memory and processes at their peak, counters as they were last", () => {
    const merged = mergeSamples(AT, [
      sample(0, { overMs: 2000, cpuPercent: 90, memoryRssBytes: 5, processes: 4, ioReadBytes: 10 }),
      sample(2, { overMs: 6000, cpuPercent: 10, memoryRssBytes: 3, processes: 1, ioReadBytes: 12 }),
    ]);
    expect(merged).toMatchObject({ at: AT, overMs: 8000, cpuPercent: 30, memoryRssBytes: 5, processes: 4 });
    expect(merged.ioReadBytes).toBe(12);
  });

  test("leave out what one of them did not measure, and know nothing that none of them did", () => {
    const merged = mergeSamples(AT, [
      sample(0, { overMs: 2000, cpuPercent: 50, workspaceBytesUsed: 7, ioReadBytes: null }),
      sample(2, { overMs: 9000, cpuPercent: null, workspaceBytesUsed: null, ioReadBytes: null }),
    ]);
    expect(merged).toMatchObject({ overMs: 2000, cpuPercent: 50, workspaceBytesUsed: 7, ioReadBytes: null });
    expect(mergeSamples(AT, [sample(0, { cpuPercent: null, overMs: 5 })])).toMatchObject({
      ...{ overMs: 5, cpuPercent: null },
    });
  });

  test("in any groups have the average and the peak of all", () => {
    const measured = fc.record({
      overMs: fc.integer({ min: 1, max: 60_000 }),
      cpuPercent: fc.option(fc.integer({ min: 0, max: 800 })),
      memoryRssBytes: fc.option(fc.nat()),
    });
    fc.assert(
      fc.property(fc.array(fc.array(measured, { minLength: 1 }), { minLength: 1 }), (groups) => {
        const all = groups.map((group) => group.map((given, n) => sample(n, given)));
        const whole = overLife(all.flat().reduce(addSample, NO_SAMPLES));
        const merged = all.map((group): Sample => mergeSamples(AT, group));
        const again = overLife(merged.reduce(addSample, NO_SAMPLES));
        expect(again.peakMemoryRssBytes).toBe(whole.peakMemoryRssBytes);
        if (whole.avgCpuPercent === null) expect(again.avgCpuPercent).toBeNull();
        else expect(again.avgCpuPercent).toBeCloseTo(whole.avgCpuPercent, 6);
      }),
    );
  });
});

test("a record shows its newest sample, the last known size of the workspace, and the whole life", () => {
  const first = sample(0, { overMs: 1000, cpuPercent: 10, memoryRssBytes: 9, workspaceBytesUsed: 100 });
  const second = sample(1, { overMs: 1000, cpuPercent: 30, memoryRssBytes: 4, workspaceBytesUsed: null });
  const before = resourcesAfter(NO_RESOURCES, first, addSample(NO_SAMPLES, first));
  const after = resourcesAfter(before, second, [first, second].reduce(addSample, NO_SAMPLES));
  expect(after).toMatchObject({
    cpuPercent: 30,
    memoryRssBytes: 4,
    workspaceBytesUsed: 100,
    sampledAt: second.at,
  });
  expect(after).toMatchObject({ avgCpuPercent: 20, peakMemoryRssBytes: 9 });
  expect(Object.keys(after).sort()).toEqual(Object.keys(NO_RESOURCES).sort());
});
