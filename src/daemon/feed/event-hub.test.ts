import { pino } from "pino";
import { expect, test } from "vitest";
import type { FeedEvent } from "../../domain/session/event.ts";
import { created, entryAdded, newEvent } from "../../testing/events.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { EventHub } from "./event-hub.ts";

test("listeners of the hub hear every event but the entries of imported sessions", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { store } = rollcall.context;
  const hub = new EventHub();
  await hub.begin(rollcall, pino({ enabled: false }));
  const heard: FeedEvent[] = [];
  const last = Promise.withResolvers<void>();
  hub.listen((event) => {
    heard.push(event);
    if (event.sessionId === "last") last.resolve();
  });
  const start = (origin: "imported" | "created") => newEvent(created({ origin }));
  await store.change("old", () => [
    start("imported"),
    newEvent(entryAdded("long ago")),
    newEvent(entryAdded("x")),
  ]);
  await store.change("new", () => [start("created"), newEvent(entryAdded("just now"))]);
  await store.change("last", () => [start("created")]);
  await last.promise;
  await hub.end();
  expect(heard.map(({ sessionId, body }) => `${sessionId} ${body.kind}`)).toEqual([
    "old created",
    "new created",
    "new entry_added",
    "last created",
  ]);
});

test("the hub passes observations on while it runs, and ends who watches with it", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const hub = new EventHub();
  await hub.begin(rollcall, pino({ enabled: false }));
  const watched = hub.watch()[Symbol.asyncIterator]();
  hub.observe({ sessionId: "s", attached: true });
  expect((await watched.next()).value).toEqual({ sessionId: "s", attached: true });
  const next = watched.next();
  await hub.end();
  expect((await next).done).toBe(true);
});
