import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { TimeLimit } from "../../domain/limits/limit.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { HolderStatus } from "../../host/holder-message.ts";
import { END, launched, observe, PAUSE, said, starting } from "../../testing/carried.ts";
import { pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { configOf, factsOf, keptLog, statusOf } from "../../testing/session/ports.ts";
import { Limits } from "./limits.ts";

const MINUTE = 60_000;
const READY_MS = 60_000;
const TIMEOUT: TimeLimit = { kind: "timeout", allowed: MINUTE, unit: "ms" };
const IDLE: TimeLimit = { kind: "idle_timeout", allowed: MINUTE, unit: "ms" };
/** The machine's own clock goes on while a test runs. */
const AWHILE = 100_000;

useFakeTime();

const at = (row: SessionRow): SessionRow => ({ ...row, stateSince: new Date().toISOString() });
const loading = (): SessionRow => at(observe(starting(), launched()));
const working = (): SessionRow => at(observe(loading(), said("working")));

/** A process that was started so long ago, by the clock of the machine. */
function aged(row: SessionRow, ageMs: number): SessionRow {
  const uptimeMs = Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1000;
  return { ...row, process: { pid: 42, startTime: String((uptimeMs - ageMs) / 10), bootId: "boot-a" } };
}

interface Given {
  readonly limits?: readonly TimeLimit[];
  readonly status?: Partial<HolderStatus> | null;
}

function limitsOf(row: SessionRow, { limits: allowed = [], status = {} }: Given = {}) {
  const session = { row, status };
  const observed: Observation[] = [];
  const { log, messages } = keptLog();
  const limits = new Limits({
    ...factsOf({ launch: { limits: allowed } }),
    log,
    config: configOf({ "end.grace": "7s" }),
    now: () => Date.now(),
    holder: {
      connection: undefined,
      status: async () => (session.status === null ? undefined : statusOf(session.status)),
      reachable: async () => {},
    },
    row: async () => session.row,
    observe: async (observation) => {
      observed.push(observation);
      return { row, events: [], seq: 0 };
    },
  });
  const passedMs = () => observed.map((each) => (each.saw === "limit_passed" ? each.passedMs : -1));
  return { limits, session, observed, passedMs, messages };
}

test("an agent that shows nothing within the time of the setting is not ready, told once", async () => {
  const row = loading();
  const { limits, observed } = limitsOf(row);
  limits.follow(row);
  await pass(1000);
  limits.follow(row);
  await pass(READY_MS - 1001);
  expect(observed).toEqual([]);
  await pass(1);
  expect(observed).toEqual([{ saw: "not_ready", afterMs: READY_MS }]);
  await pass(READY_MS);
  expect(observed).toHaveLength(1);
});

test("an agent that was not ready and loads again is waited for again", async () => {
  const { limits, observed } = limitsOf(loading());
  limits.follow(loading());
  await pass(READY_MS);
  limits.follow(loading());
  await pass(READY_MS);
  expect(observed).toHaveLength(2);
});

test("an agent that has shown something is not waited for any more", async () => {
  const { limits, observed } = limitsOf(loading());
  limits.follow(loading());
  limits.follow(working());
  await pass(READY_MS);
  expect([observed, vi.getTimerCount()]).toEqual([[], 0]);
});

test("a daemon that comes back counts the time that the agent has been loading before", async () => {
  const row = loading();
  vi.setSystemTime(Date.now() + 50_000);
  const { limits, observed } = limitsOf(row);
  limits.follow(row);
  await pass(9999);
  expect(observed).toEqual([]);
  await pass(1);
  expect(observed).toHaveLength(1);
});

test("a session that begins to load anew gets its whole time", async () => {
  const { limits, observed } = limitsOf(loading());
  limits.follow(loading());
  await pass(1000);
  limits.follow(working());
  limits.follow(loading());
  await pass(READY_MS - 1);
  expect(observed).toEqual([]);
});

test("the age of the process is observed at once, with the grace of the settings", async () => {
  const row = aged(working(), 40_000);
  const { limits, observed, passedMs } = limitsOf(row, { limits: [TIMEOUT] });
  limits.follow(row);
  await pass(0);
  expect(passedMs()[0]).toBeGreaterThanOrEqual(39_990);
  expect(passedMs()[0]).toBeLessThan(AWHILE);
  expect(observed).toMatchObject([{ saw: "limit_passed", limit: TIMEOUT, graceMs: 7000 }]);
});

test.each([
  ["input", { lastInputMsAgo: 5000, lastOutputMsAgo: 9000 }],
  ["output", { lastInputMsAgo: 9000, lastOutputMsAgo: 5000 }],
])("idle time counts from the last %s", async (_, status) => {
  const row = aged(working(), 40_000);
  const { limits, passedMs } = limitsOf(row, { limits: [IDLE], status });
  limits.follow(row);
  limits.check("idle_timeout", 30_000);
  await pass(30_000);
  expect(passedMs()).toEqual([5000]);
});

test("idle time of a session that wrote nothing yet counts from its start", async () => {
  const row = aged(working(), 3000);
  const { limits, passedMs } = limitsOf(row, { limits: [IDLE] });
  limits.follow(row);
  limits.check("idle_timeout", 30_000);
  await pass(30_000);
  expect(passedMs()[0]).toBeGreaterThanOrEqual(2990);
  expect(passedMs()[0]).toBeLessThan(30_000);
});

test("idle time begins anew with a change of state", async () => {
  const row = aged(working(), 40_000);
  const { limits, passedMs } = limitsOf(row, { limits: [IDLE] });
  limits.follow(row);
  await pass(0);
  await pass(10_000);
  limits.follow(at(row));
  await pass(0);
  expect(passedMs()).toEqual([0, 0]);
});

test("idle time goes on through a commit that changed no state", async () => {
  const row = aged(working(), 40_000);
  const { limits, passedMs } = limitsOf(row, { limits: [IDLE] });
  limits.follow(row);
  await pass(10_000);
  limits.follow(row);
  await pass(0);
  expect(passedMs()).toEqual([0, 10_000]);
});

test("idle time of a state that is seen to change counts from then, whatever the wall clock says", async () => {
  const row = aged(working(), 40_000);
  const { limits, passedMs } = limitsOf(row, { limits: [IDLE] });
  limits.follow(row);
  limits.follow({ ...row, stateSince: "2026-01-08T18:00:00.000Z" });
  await pass(0);
  expect(passedMs()).toEqual([0]);
});

test("a holder that cannot answer says that nothing of the idle time has passed", async () => {
  const row = aged(working(), 40_000);
  const { limits, passedMs } = limitsOf(row, { limits: [IDLE], status: null });
  limits.follow(row);
  limits.check("idle_timeout", 20_000);
  await pass(20_000);
  expect(passedMs()).toEqual([0]);
});

test.each([
  ["idle time", IDLE, PAUSE],
  ["the age", TIMEOUT, END],
])("%s is not observed while it does not count", async (_, limit, change) => {
  const row = aged(working(), 40_000);
  const { limits, session, observed } = limitsOf(row, { limits: [limit] });
  limits.follow(row);
  limits.follow(observe(row, change));
  await pass(MINUTE);
  expect([observed, vi.getTimerCount()]).toEqual([[], 0]);
  limits.follow(row);
  // It changes between the timer and the look.
  session.row = observe(row, change);
  await pass(MINUTE);
  expect(observed).toEqual([]);
});

test("the age is observed once, however often the state changes, and idle time with each change", async () => {
  const row = aged(working(), 40_000);
  const { limits, observed } = limitsOf(row, { limits: [TIMEOUT, IDLE] });
  limits.follow(row);
  await pass(0);
  limits.check("timeout", 1000);
  limits.check("idle_timeout", 1000);
  limits.follow(row);
  await pass(0);
  const kinds = observed.map((each) => (each.saw === "limit_passed" ? each.limit.kind : ""));
  expect(kinds.sort()).toEqual(["idle_timeout", "idle_timeout", "timeout"]);
});

test("a limit is checked when it is told to, and a limit that the launch does not have never", async () => {
  const row = aged(working(), 40_000);
  const { limits, observed } = limitsOf(row, { limits: [TIMEOUT] });
  limits.check("idle_timeout", 10);
  limits.check("timeout", 20_000);
  limits.check("timeout", 10_000);
  await pass(9999);
  expect(observed).toEqual([]);
  await pass(1);
  expect(observed).toHaveLength(1);
  await pass(MINUTE);
  expect(observed).toHaveLength(1);
});

test("limits that are stopped observe nothing more", async () => {
  const row = loading();
  const { limits, observed } = limitsOf(row, { limits: [TIMEOUT] });
  limits.follow(row);
  limits.stop();
  await pass(MINUTE);
  expect([observed, vi.getTimerCount()]).toEqual([[], 0]);
});

test("a check that fails is logged", async () => {
  const { limits, session, messages } = limitsOf(working(), { limits: [TIMEOUT] });
  Object.defineProperty(session, "row", {
    get: () => {
      throw new Error("locked");
    },
  });
  limits.check("timeout", 0);
  await pass(0);
  expect(messages).toEqual(["a timer failed"]);
});
