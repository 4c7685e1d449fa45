import { expect, test } from "vitest";
import { append, codeOf } from "../../store/contract/place.ts";
import type { SessionObservation } from "../../store/observations.ts";
import { created, T0, T1 } from "../../testing/events.ts";
import { sample } from "../../testing/samples.ts";
import { sqlitePlace } from "../../testing/sqlite-place.ts";
import type { LiveObservation } from "./observation-channel.ts";
import { Observations } from "./observations.ts";

const redact = <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "***")) as T;
const silent = { redact, publish: () => {} };

test("what is noted of many sessions in one turn is written in one batch, in order", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  for (const id of ["a", "b"]) await append(store, id, created());
  const batches: number[] = [];
  const observe = async (batch: readonly SessionObservation[]) => {
    batches.push(batch.length);
    await store.observe(batch);
  };
  const told: LiveObservation[] = [];
  const publish = (observation: LiveObservation) => void told.push(observation);
  const observations = new Observations({
    redact,
    publish,
    store: { observe, addSamples: store.addSamples },
  });
  await Promise.all([
    observations.note("a", { attached: true, lastOutputAt: T0 }),
    observations.note("b", { attached: true }),
    observations.note("a", { lastOutputAt: T1 }),
  ]);
  await observations.note("b", { attached: false });
  expect(batches).toEqual([3, 1]);
  expect((await store.find("a"))?.observed).toMatchObject({ attached: true, lastOutputAt: T1 });
  expect((await store.find("b"))?.observed.attached).toBe(false);
  expect(told.map(({ sessionId }) => sessionId)).toEqual(["a", "b", "a", "b"]);
});

test("a batch that cannot be written fails for all in it, and the next one is tried", async () => {
  using place = sqlitePlace();
  const store = place.open();
  await append(store, "a", created());
  const observations = new Observations({ ...silent, store });
  const [first, second] = [observations.note("a", {}), observations.note("a", {})];
  await store.close();
  expect(await Promise.all([first, second].map(codeOf))).toEqual(["store_closed", "store_closed"]);
  await using again = place.open();
  expect(await codeOf(new Observations({ ...silent, store: again }).note("a", { attached: true }))).toBe(
    "done",
  );
});

test("an observation is told at once, without the secrets in it, before it is written", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  await append(store, "a", created());
  const told: LiveObservation[] = [];
  const observations = new Observations({ store, redact, publish: (one) => void told.push(one) });
  const activity = { text: "login hunter2", tool: null, at: T0 };
  const written = observations.note("a", { activity });
  expect(told).toEqual([{ sessionId: "a", activity: { ...activity, text: "login ***" } }]);
  expect((await store.find("a"))?.observed.activity).toBeNull();
  await written;
  expect((await store.find("a"))?.observed.activity?.text).toBe("login ***");
});

test("samples are told and kept", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  await append(store, "a", created());
  const told: LiveObservation[] = [];
  const observations = new Observations({ store, redact, publish: (one) => void told.push(one) });
  await observations.addSamples([{ sessionId: "a", sample: sample(0) }]);
  expect([told, await store.samples("a")]).toEqual([[{ sessionId: "a", sample: sample(0) }], [sample(0)]]);
});
