import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { FakeHolder } from "../../testing/session/fake-holder.ts";
import { idle, useFakeTime } from "../../testing/session/fake-time.ts";
import { factsOf } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { sessionPlace } from "../../testing/session/test-session.ts";
import { OutputSlices } from "../intake/output-slices.ts";
import type { Services } from "../services.ts";
import { LiveSession } from "./live-session.ts";

useFakeTime();

const WORKING: Signal = { source: "transcript", rule: "begun", excerpt: null, says: "working" };

/** A session whose record files are only counted. */
async function place() {
  const at = await sessionPlace();
  const followed = new Recorder<string>();
  const begun = new Recorder<string>();
  const closed = new Recorder<string>();
  const { context } = at;
  const files = Object.assign(Object.create(context.files) as typeof context.files, {
    follow: async (id: string) => followed.add(id),
  });
  const { log } = at.daemon();
  const services = {
    context: { ...context, files },
    log,
    places: { home: at.folder, recordings: at.folder, hooks: at.folder },
    screens: { drop: async () => {} },
    slices: new OutputSlices(),
    observations: { msToTick: 0, note: async () => {} },
    trees: { forget: () => {}, look: () => begun.add("tree") },
    sampler: { forget: () => {}, begin: () => begun.add("sampler") },
  } as unknown as Services;
  const session = new LiveSession(services, factsOf().carrying, () => closed.add("closed"));
  const row = (await context.store.findRow("s")) as SessionRow;
  return {
    session,
    followed,
    begun,
    closed,
    row,
    [Symbol.asyncDispose]: async () => {
      await session.letGo();
      await at[Symbol.asyncDispose]();
    },
  };
}

test.each([true, false])(
  "a commit without a decision brings the record file up to date if there is one: %s",
  async (hasFile) => {
    await using at = await place();
    await at.session.learned({ ...at.row, hasFile });
    expect(at.followed.all).toEqual(hasFile ? ["s"] : []);
  },
);

test.each([true, false])(
  "a decision brings the record file up to date if there is one: %s",
  async (hasFile) => {
    await using at = await place();
    const { store } = at.session.context;
    const before = store.change.bind(store);
    store.change = (async (...args: Parameters<typeof before>) => {
      const change = await before(...args);
      return { ...change, row: { ...change.row, hasFile } };
    }) as typeof store.change;
    await at.session.observe({ saw: "signal", signal: WORKING, trust: ["transcript"] });
    expect(at.followed.all).toEqual(hasFile ? ["s"] : []);
  },
);

test("events that need no decision are added to the record, and the session learns of them", async () => {
  await using at = await place();
  const body = { kind: "identified", identity: { nativeId: "n1" } } as const;
  const { events, row, seq } = await at.session.append([body]);
  expect(events.map((event) => event.body)).toMatchObject([body]);
  expect([row.nativeId, seq]).toEqual(["n1", row.seq]);
  expect(at.session.target.nativeId).toBe("n1");
});

test("a session whose holder is there is followed again, by every part", async () => {
  await using at = await place();
  mkdirSync(at.session.folder, { recursive: true });
  await using holder = await FakeHolder.in(at.session.folder);
  await at.session.adopt();
  expect(at.begun.all).toEqual(["tree", "sampler"]);
  await holder.heard.first(1);
});

test("a session that is over closes once, and is followed by nothing from then on", async () => {
  await using at = await place();
  expect(at.session.isClosing).toBe(false);
  for (const error of ["not found", "not found either"])
    await at.session.observe({ saw: "launch_failed", error, step: "exec" });
  await at.session.closed;
  await idle();
  expect([at.closed.all, at.session.isClosing]).toEqual([["closed"], true]);
});

test("a session whose holder cannot be reached is adopted no further", async () => {
  await using at = await place();
  await at.session.adopt();
  expect(at.begun.all).toEqual([]);
});
