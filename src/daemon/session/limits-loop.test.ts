import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TimeLimit } from "../../domain/limits/limit.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { CONTINUE, PAUSE, said } from "../../testing/carried.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { configOf, holderOf } from "../../testing/session/ports.ts";
import { type SessionPlace, sessionPlace } from "../../testing/session/test-session.ts";
import { Limits } from "./limits.ts";

const MINUTE = 60_000;
const IDLE: TimeLimit = { kind: "idle_timeout", allowed: MINUTE, unit: "ms" };

useFakeTime();

/** A process that was started an hour ago, by the clock of the machine. */
function oldProcess() {
  const uptimeMs = Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1000;
  return { pid: 42, startTime: String((uptimeMs - 60 * MINUTE) / 10), bootId: "boot-a" };
}

async function limitedPlace(limit: TimeLimit) {
  const place = await sessionPlace({
    launch: { limits: [limit], tellsTurns: true },
    mode: { capabilities: { tellsTurns: true } },
  });
  const running: Limits[] = [];
  const kinds = async () => (await place.context.store.events("s")).map(({ body }) => body.kind);
  return {
    place,
    neared: async () => (await kinds()).filter((kind) => kind === "limit_neared").length,
    /** A daemon that follows the session, acts included; the one before it is gone. */
    daemon: async () => {
      running.at(-1)?.stop();
      const { session, limits } = follow(place);
      running.push(limits);
      return session;
    },
    [Symbol.asyncDispose]: async () => {
      running.at(-1)?.stop();
      await idle();
      await place[Symbol.asyncDispose]();
    },
  };
}

function follow(place: SessionPlace) {
  const session = Object.assign(place.daemon(), { config: configOf(), ...holderOf({ status: {} }) });
  const limits = new Limits(session);
  session.follow = (row) => limits.follow(row);
  session.act = (action) => {
    if (action.do === "check_limit") limits.check(action.limit, action.afterMs);
  };
  return { session, limits };
}

/** Lets so much time pass, with a moment for the store at the beginning and in each second. */
async function passSeconds(seconds: number): Promise<void> {
  for (let second = 0; second <= seconds; second++) {
    await pass(second === 0 ? 0 : 1000);
    await idle();
  }
}

test("an idle session is told of at 80 % and ended at the limit, under the next daemon too", async () => {
  await using at = await limitedPlace(IDLE);
  const first = await at.daemon();
  await first.observe({ saw: "launched", process: oldProcess(), isReady: false });
  await first.observe(said("good"));
  await passSeconds(47);
  expect(await at.neared()).toBe(0);
  await passSeconds(1);
  expect(await at.neared()).toBe(1);
  const second = await at.daemon();
  second.follow((await second.row()) as SessionRow);
  await passSeconds(11);
  expect((await second.row())?.state).toBe("waiting_input");
  await passSeconds(1);
  expect(await second.row()).toMatchObject({ state: "stopping", carried: { endReason: "idle_timeout" } });
  expect([await at.neared(), second.acts.all.at(-1)]).toMatchObject([1, { do: "end_tree" }]);
});

test.each([
  ["at a request", said("permission")],
  ["while it is paused", PAUSE],
])("a session does not idle %s", async (_, state) => {
  await using at = await limitedPlace(IDLE);
  const session = await at.daemon();
  await session.observe({ saw: "launched", process: oldProcess(), isReady: false });
  for (const each of [said("working"), state]) await session.observe(each);
  await passSeconds(120);
  expect([await at.neared(), session.acts.all.filter((act) => act.do === "end_tree")]).toEqual([0, []]);
});

test("a session that goes on after a pause begins to idle anew", async () => {
  await using at = await limitedPlace(IDLE);
  const session = await at.daemon();
  await session.observe({ saw: "launched", process: oldProcess(), isReady: false });
  await session.observe(said("good"));
  await passSeconds(40);
  await session.observe(PAUSE);
  await passSeconds(40);
  await session.observe(CONTINUE);
  await passSeconds(59);
  expect((await session.row())?.state).toBe("waiting_input");
  await passSeconds(1);
  expect((await session.row())?.state).toBe("stopping");
});

test("the age of a session that is used up ends it as soon as a daemon is back", async () => {
  await using at = await limitedPlace({ kind: "timeout", allowed: 30 * MINUTE, unit: "ms" });
  const session = await at.daemon();
  await session.observe({ saw: "launched", process: oldProcess(), isReady: false });
  await passSeconds(1);
  expect(await session.row()).toMatchObject({ state: "stopping", carried: { endReason: "timeout" } });
});
