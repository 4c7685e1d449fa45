import { describe, expect, test } from "vitest";
import { NO_SAMPLES, type Sample } from "../../domain/sample.ts";
import { NO_LIVE_FACTS, NO_RESOURCES } from "../../domain/session/record.ts";
import { created, T1 } from "../../testing/events.ts";
import { sample, secondsIn } from "../../testing/samples.ts";
import type { Store } from "../store.ts";
import { append, type MakePlace } from "./place.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export function observationsContract(makePlace: MakePlace): void {
  describe("observations", () => {
    test("are merged field by field and shown with the session", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await store.observe([{ sessionId: "s", observed: { attached: true } }]);
      await store.observe([{ sessionId: "s", observed: { lastOutputAt: T1 } }]);
      const observed = { ...NO_LIVE_FACTS, attached: true, lastOutputAt: T1 };
      expect((await store.find("s"))?.observed).toEqual(observed);
    });

    test("of many sessions come in one batch, in which the last word counts", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const id of ["a", "b"]) await append(store, id, created());
      const observe = (sessionId: string, attached: boolean) => ({ sessionId, observed: { attached } });
      await store.observe([
        observe("a", true),
        observe("gone", true),
        observe("b", false),
        observe("a", false),
      ]);
      await store.observe([]);
      const { items } = await store.list({ limit: 0 });
      expect(items.map(({ observed }) => observed.attached)).toEqual([false, false]);
    });

    test("neither move the row nor fail for a session that is gone", async () => {
      using place = makePlace();
      await using store = place.open();
      const { row, version } = await append(store, "s", created());
      await store.observe([{ sessionId: "s", observed: { lastOutputAt: T1 } }]);
      await add(store, "s", sample(0));
      await add(store, "gone", sample(0));
      expect(await store.find("s")).toMatchObject({ row, version });
      expect(await store.samples("gone")).toEqual([]);
    });
  });

  describe("sums of samples", () => {
    test("are those of the whole life, also after thinning", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      expect(await store.sampleSums("s")).toEqual(NO_SAMPLES);
      const samples = [sample(0, { cpuPercent: 10 }), sample(2, { cpuPercent: 40, memoryRssBytes: 7 })];
      await store.addSamples(samples.map((one) => ({ sessionId: "s", sample: one })));
      await store.thinSamples(secondsIn(120), MINUTE);
      const sums = { samples: 2, cpuPercentMs: 100_000, measuredMs: 4000, peakMemoryRssBytes: 7 };
      expect(await store.sampleSums("s")).toEqual(sums);
    });
  });

  describe("samples", () => {
    test("are kept as they were measured, in order of time, and read by range", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const all = [0, 60, 120].map((at) => sample(at, full(at)));
      await add(store, "s", ...all.toReversed());
      expect(await store.samples("s")).toEqual(all);
      expect(await store.samples("s", { since: secondsIn(60), until: secondsIn(120) })).toEqual([all[1]]);
    });

    test("of many sessions come in one batch, each shown as the resources of its own", async () => {
      using place = makePlace();
      await using store = place.open();
      const ids = Array.from({ length: 50 }, (_, n) => `s${n}`);
      for (const id of ids) await append(store, id, created());
      await store.addSamples(
        ids.map((sessionId, n) => ({ sessionId, sample: sample(n, { cpuPercent: n, memoryRssBytes: n }) })),
      );
      for (const [n, id] of ids.entries()) {
        const measured = { cpuPercent: n, memoryRssBytes: n, sampledAt: secondsIn(n) };
        const resources = { ...NO_RESOURCES, ...measured, avgCpuPercent: n, peakMemoryRssBytes: n };
        expect((await store.find(id))?.observed.resources).toEqual(resources);
      }
    });

    test("are shown by the newest, with the average by time and the peak over all of them", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await add(store, "s", sample(2, { cpuPercent: 80, overMs: 2000, memoryRssBytes: 9 }));
      await add(store, "s", sample(17, { cpuPercent: 10, overMs: 12_000, memoryRssBytes: 4, processes: 3 }));
      await add(store, "s", sample(1, { cpuPercent: 60, overMs: 1000, memoryRssBytes: 5 }));
      const shown = { cpuPercent: 10, memoryRssBytes: 4, processes: 3, sampledAt: secondsIn(17) };
      expect((await store.find("s"))?.observed.resources).toMatchObject({ ...shown, peakMemoryRssBytes: 9 });
      await add(store, "s", sample(19, { cpuPercent: 10, overMs: 0 }));
      expect(await overLife(store)).toEqual([(80 * 2 + 10 * 12 + 60) / 15, 9]);
    });

    test("of a moment that is known already are left out, and count once", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await add(store, "s", sample(0, { cpuPercent: 10 }), sample(2, { cpuPercent: 20 }));
      await add(store, "s", sample(2, { cpuPercent: 90 }));
      expect((await store.samples("s")).map(({ cpuPercent }) => cpuPercent)).toEqual([10, 20]);
      expect(await overLife(store)).toEqual([15, null]);
    });

    test("stand beside what else is observed", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await store.observe([{ sessionId: "s", observed: { attached: true } }]);
      await add(store, "s", sample(0, { cpuPercent: 10 }));
      await store.observe([{ sessionId: "s", observed: { lastOutputAt: T1 } }]);
      const { observed } = (await store.find("s")) ?? {};
      expect(observed).toMatchObject({ attached: true, lastOutputAt: T1, resources: { cpuPercent: 10 } });
    });

    test("go with their session", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await add(store, "s", sample(0, { cpuPercent: 10 }));
      await store.remove(["s"], T1);
      await append(store, "s", created());
      await add(store, "s", sample(2, { cpuPercent: 30 }));
      expect([(await store.samples("s")).length, await overLife(store)]).toEqual([1, [30, null]]);
    });
  });

  describe("thinning", () => {
    test("makes one sample of each step that is over, and leaves the rest in full", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      // The beginning of these tests is half a minute into a minute.
      await addEvery(store, "s", { from: 30, until: 210, seconds: 10 });
      expect(await store.thinSamples(secondsIn(180), MINUTE)).toBe(10);
      const seconds = (await store.samples("s")).map(({ at }) => inSeconds(at));
      expect(seconds).toEqual([30, 90, 150, 160, 170, 180, 190, 200]);
    });

    test("keeps averages, peaks and last counts in the samples, and those of the whole life exact", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await add(store, "s", ...[30, 32, 44].map((at) => sample(at, full(at))));
      await add(store, "s", sample(90, { cpuPercent: 1, overMs: 1000, memoryRssBytes: 1 }));
      const before = (await store.find("s"))?.observed;
      await store.thinSamples(secondsIn(90), MINUTE);
      const [thinned, ...rest] = await store.samples("s");
      const average = (30 * 3000 + 32 * 3200 + 44 * 4400) / 10_600;
      expect(thinned).toEqual({
        ...sample(30, full(44)),
        overMs: 10_600,
        cpuPercent: expect.closeTo(average, 9),
      });
      expect([rest.length, (await store.find("s"))?.observed]).toEqual([1, before]);
      await add(store, "s", sample(92, { cpuPercent: 2, overMs: 1000 }));
      expect(await overLife(store)).toEqual([expect.closeTo((average * 10_600 + 3000) / 12_600, 9), 4400]);
    });

    test("by a larger step goes on from samples that were thinned, weighing each by its time", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await addEvery(store, "s", { from: 0, until: 3 * 3600, seconds: 20 });
      const all = await store.samples("s");
      await store.thinSamples(secondsIn(3 * 3600), MINUTE);
      await store.thinSamples(secondsIn(3 * 3600), HOUR);
      const thinned = await store.samples("s");
      // The last hour is not over: its minutes stay, five whole ones and the one that has begun.
      const minutes = ["21:00", "21:01", "21:02", "21:03", "21:04", "21:05"];
      expect(thinned.map(({ at }) => at.slice(11, 16))).toEqual(["18:00", "19:00", "20:00", ...minutes]);
      expect(weighed(thinned)).toBeCloseTo(weighed(all), 6);
      expect((await store.find("s"))?.observed.resources.avgCpuPercent).toBeCloseTo(weighed(all), 6);
    });

    test("changes nothing the second time, and takes in samples that came late", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await addEvery(store, "s", { from: 30, until: 210, seconds: 10 });
      await store.thinSamples(secondsIn(210), MINUTE);
      const once = await store.samples("s");
      expect(await store.thinSamples(secondsIn(210), MINUTE)).toBe(0);
      expect(await store.samples("s")).toEqual(once);
      await add(store, "s", sample(95, { memoryRssBytes: 1_000_000 }));
      expect(await store.thinSamples(secondsIn(210), MINUTE)).toBe(1);
      const late = (await store.samples("s")).map(({ memoryRssBytes }) => memoryRssBytes);
      expect(late).toEqual([once[0]?.memoryRssBytes, 1_000_000, once[2]?.memoryRssBytes]);
    });

    test("of many sessions, one of them with very many samples in one step, loses none of what they say", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const id of ["a", "b", "none", "c"]) await append(store, id, created());
      await addEvery(store, "a", { from: 0, until: 600, seconds: 60 });
      await addEvery(store, "b", { from: 0, until: 1200, seconds: 0.1 });
      await addEvery(store, "c", { from: 0, until: 600, seconds: 60 });
      const before = await Promise.all(["a", "b", "c"].map(async (id) => weighed(await store.samples(id))));
      expect(await store.thinSamples(secondsIn(24 * 3600), HOUR)).toBe(9 + 11_999 + 9);
      const after = await Promise.all(["a", "b", "c"].map((id) => store.samples(id)));
      expect(after.map(({ length }) => length)).toEqual([1, 1, 1]);
      for (const [n, samples] of after.entries()) expect(weighed(samples)).toBeCloseTo(before[n] ?? -1, 6);
      expect(after[1]?.[0]?.memoryRssBytes).toBe(1200 * 100 - 10);
    });
  });
}

async function add(store: Store, sessionId: string, ...samples: readonly Sample[]): Promise<void> {
  await store.addSamples(samples.map((one) => ({ sessionId, sample: one })));
}

/** Every value another, and larger the later it was measured. */
function full(at: number): Partial<Sample> {
  const n = Math.round(at * 100);
  return {
    ...{ overMs: n, cpuPercent: at, memoryRssBytes: n, memoryVszBytes: 2 * n, processes: n },
    ...{ ioReadBytes: 3 * n, ioWriteBytes: 4 * n, ioReadChars: 5 * n, ioWriteChars: 6 * n },
    workspaceBytesUsed: 7 * n,
  };
}

async function addEvery(
  store: Store,
  sessionId: string,
  { from, until, seconds }: { readonly from: number; readonly until: number; readonly seconds: number },
): Promise<void> {
  const count = Math.round((until - from) / seconds);
  const times = Array.from({ length: count }, (_, n) => from + n * seconds);
  await add(store, sessionId, ...times.map((at) => sample(at, full(at))));
}

async function overLife(store: Store): Promise<unknown[]> {
  const { avgCpuPercent, peakMemoryRssBytes } = (await store.find("s"))?.observed.resources ?? NO_RESOURCES;
  return [avgCpuPercent, peakMemoryRssBytes];
}

function weighed(samples: readonly Sample[]): number {
  const weight = samples.reduce((sum, { overMs }) => sum + overMs, 0);
  return samples.reduce((sum, { cpuPercent, overMs }) => sum + (cpuPercent ?? 0) * overMs, 0) / weight;
}

function inSeconds(at: string): number {
  return (Date.parse(at) - Date.parse(secondsIn(0))) / 1000;
}
