import { expect, test } from "vitest";
import { NO_RESOURCES } from "../domain/session/record.ts";
import { sample, secondsIn } from "../testing/samples.ts";
import { describeSamples, sparkline } from "./describe-samples.ts";

const NOW = Date.parse(secondsIn(10));

test("a sparkline goes from zero to the highest value and has gaps where nothing is known", () => {
  expect(sparkline([0, 50, 100, null, undefined, 7])).toBe("▁▅█  ▁");
  expect(sparkline([0, 0])).toBe("▁▁");
  expect(sparkline([])).toBe("");
});

test("samples are shown as lines over time with the newest, the average and the peak", () => {
  const samples = [
    sample(0, { cpuPercent: 5, memoryRssBytes: 1e6, ioWriteChars: 0, processes: 1 }),
    sample(2, { cpuPercent: 150, memoryRssBytes: 3e6, ioWriteChars: 5000, processes: 4 }),
    sample(4, { cpuPercent: 75, memoryRssBytes: 2e6, ioWriteChars: 5000, processes: 2, ioWriteBytes: 4096 }),
  ];
  const resources = {
    ...NO_RESOURCES,
    avgCpuPercent: 76.7,
    peakMemoryRssBytes: 3e6,
    workspaceBytesUsed: 2e9,
  };
  expect(describeSamples({ resources }, samples, { width: 120, now: NOW }).split("\n")).toEqual([
    "3 samples over 6s, the last 6s ago",
    "CPU        ▁█▅  now 75%, average 77%",
    "memory     ▃█▆  now 2.0 MB, peak 3.0 MB",
    "read            —, — from disk",
    "written     █▁  5.0 kB, 4.1 kB to disk",
    "processes  ▃█▅  now 2, most 4",
    "workspace       2.0 GB",
  ]);
});

test("many samples become as many steps as there is room for", () => {
  const samples = Array.from({ length: 1000 }, (_, n) => sample(n * 2, { cpuPercent: n }));
  const text = describeSamples({ resources: NO_RESOURCES }, samples, { width: 80, now: NOW });
  expect(text.split("\n")[1]).toMatch(/^CPU {8}▁[▁-█]{18}█ {2}now 999%/);
});
