import { expect, test } from "vitest";
import { sample, secondsIn } from "../../testing/samples.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { thinSteps } from "./sample-retention.ts";

const DAY = 86_400;
/** Hour and minute, and the time that each is the average of. */
const KEPT = [
  ["18:00", 2000],
  ["18:00", 4000],
  ["18:05", 4000],
  ["18:07", 2000],
  ["18:04", 2000],
  ["18:05", 2000],
];

test("samples are kept in full for a day, by minute for 30 days, then by hour, and the average stays", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { store } = rollcall.context;
  const { id } = await rollcall.create({});
  const ages = [
    0,
    40 * DAY,
    40 * DAY + 120,
    69 * DAY,
    69 * DAY + 20,
    69 * DAY + 120,
    70 * DAY - 60,
    70 * DAY - 30,
  ];
  const samples = ages.map((seconds, n) => sample(seconds, { cpuPercent: n }));
  await store.addSamples(samples.map((one) => ({ sessionId: id, sample: one })));
  const now = () => Date.parse(secondsIn(70 * DAY + 3600));
  await thinSteps({ store, now });
  expect(await thinSteps({ store, now })).toBe(0);
  const kept = (await store.samples(id)).map(({ at, overMs }) => [at.slice(11, 16), overMs]);
  expect(kept).toEqual(KEPT);
  expect((await rollcall.get(id)).resources.avgCpuPercent).toBeCloseTo(3.5, 9);
});
