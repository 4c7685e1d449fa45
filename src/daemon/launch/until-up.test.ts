import { pino } from "pino";
import { expect, test } from "vitest";
import type { EventBody } from "../../domain/session/event.ts";
import { LAUNCH, launched } from "../../testing/carried.ts";
import { created, newEvent } from "../../testing/events.ts";
import { idle } from "../../testing/session/fake-time.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { EventHub } from "../feed/event-hub.ts";
import type { Services } from "../services.ts";
import { untilUp } from "./until-up.ts";

const STARTED = { source: "operator", rule: "start", excerpt: null } as const;
const STARTING = created({ origin: "started", state: "starting", evidence: STARTED, launch: LAUNCH });
const AT_WORK: EventBody = {
  kind: "at_work",
  state: "running",
  evidence: { source: "protocol", rule: "status_busy", excerpt: null },
  generation: 1,
};

/** A session that is starting, and whoever waits for it to be up. */
async function starting() {
  const world = tempWorld();
  const rollcall = await world.open();
  const { context } = rollcall;
  const hub = new EventHub();
  await hub.begin(rollcall, pino({ enabled: false }));
  await context.store.change("s", () => [newEvent(STARTING)]);
  const wait = async (id = "s") => untilUp({ hub, services: { context } as unknown as Services }, id);
  return {
    wait,
    append: async (body: EventBody) => context.store.change("s", () => [newEvent(body)]),
    [Symbol.asyncDispose]: async () => {
      await hub.end();
      await rollcall[Symbol.asyncDispose]();
      world[Symbol.dispose]();
    },
  };
}

test("a session is up once its agent shows what it does, and not by its process alone", async () => {
  await using session = await starting();
  let isUp = false;
  const up = session.wait().then(() => (isUp = true));
  const { process } = launched() as Extract<ReturnType<typeof launched>, { saw: "launched" }>;
  await session.append({ kind: "launched", process, generation: 1 });
  await idle();
  expect(isUp).toBe(false);
  await session.append(AT_WORK);
  await up;
});

test("nobody waits for a session that is up by then, or that is gone", async () => {
  await using session = await starting();
  await session.append(AT_WORK);
  await session.wait();
  await session.wait("none");
});
