import { expect, test, vi } from "vitest";
import { append } from "../../store/contract/place.ts";
import { created, T0 } from "../../testing/events.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { keptLog } from "../../testing/session/ports.ts";
import { sqlitePlace } from "../../testing/sqlite-place.ts";
import { Observations } from "../feed/observations.ts";
import { ActivityWatch } from "./activity-watch.ts";
import { LiveFactsWriter } from "./live-facts-writer.ts";

const ENTRY = { role: "assistant", kind: "text", text: "Reading", tool: null } as const;
const TICK_MS = 2000;

useFakeTime();

async function factsPlace() {
  const place = sqlitePlace();
  const store = place.open();
  await append(store, "s", created());
  const { log, messages } = keptLog();
  const observations = new Observations({ store, redact: (value) => value, publish: () => {} });
  const activity: ActivityWatch = new ActivityWatch(
    () => Date.now(),
    () => facts.writeSoon(),
  );
  const facts: LiveFactsWriter = new LiveFactsWriter({
    id: "s",
    log,
    now: () => Date.now(),
    observations,
    activity,
  });
  return {
    facts,
    activity,
    messages,
    store,
    observed: async () => {
      await idle();
      return (await store.find("s"))?.observed;
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      place[Symbol.dispose]();
    },
  };
}

test("output and activity are written together with the next tick, and nothing before", async () => {
  await using at = await factsPlace();
  const leftMs = TICK_MS - (performance.now() % TICK_MS);
  at.facts.sawOutput();
  at.activity.addEntries([ENTRY]);
  expect(vi.getTimerCount()).toBe(1);
  await pass(leftMs - 1);
  expect(await at.observed()).toMatchObject({ lastOutputAt: null, activity: null });
  await pass(1);
  expect(await at.observed()).toMatchObject({ lastOutputAt: T0, activity: { text: "Reading" } });
});

test("a fact that comes after a tick is written with the one behind it", async () => {
  await using at = await factsPlace();
  at.facts.sawOutput();
  await pass(TICK_MS);
  at.facts.sawOutput();
  await pass(TICK_MS);
  expect((await at.observed())?.lastOutputAt).toBe(new Date(Date.parse(T0) + TICK_MS).toISOString());
});

test("a session that nobody has seen writing has no time of output", async () => {
  await using at = await factsPlace();
  await at.facts.write(true);
  expect(await at.observed()).toMatchObject({ attached: true, lastOutputAt: null, activity: null });
});

test("whether someone is attached stays as it is where it is not known anew", async () => {
  await using at = await factsPlace();
  await at.facts.write(true);
  await at.facts.write();
  expect(await at.observed()).toMatchObject({ attached: true });
});

test("a session that is over has nobody attached, and writes no more", async () => {
  await using at = await factsPlace();
  await at.facts.write(true);
  at.facts.sawOutput();
  await at.facts.finish();
  at.facts.sawOutput();
  expect([vi.getTimerCount(), await at.observed()]).toMatchObject([0, { attached: false, lastOutputAt: T0 }]);
});

test("a session that goes on without us keeps who is attached, and writes what is due", async () => {
  await using at = await factsPlace();
  await at.facts.write(true);
  at.facts.sawOutput();
  await at.facts.letGo();
  at.facts.sawOutput();
  expect([vi.getTimerCount(), await at.observed()]).toMatchObject([0, { attached: true, lastOutputAt: T0 }]);
});

test("facts that cannot be written are logged, and stop nothing", async () => {
  await using at = await factsPlace();
  await at.store.close();
  await at.facts.write(true);
  expect(at.messages).toEqual(["live facts could not be written"]);
});
