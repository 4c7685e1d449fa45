import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { gone, processesOf, until } from "../live/user.ts";
import { type FaultUser, newFaultUser, reaches } from "./fault-user.ts";
import { PATIENCE_MS, report, times } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

/** The daemon dies at a named step of its own code: `ROLLCALL_FAULT` in its environment. */
const ROUNDS = times(2, 20);
const TOGETHER = { concurrent: true } as const;

const START = {
  "start.asked": "none",
  "start.recorded": "no_process",
  "start.folder": "no_process",
  "start.spawned": "running",
  "start.launched": "running",
  "start.followed": "running",
} as const;

describe("kill -9 of the daemon in the middle of a start", TOGETHER, () => {
  test.each(Object.entries(START))("at %s leaves %s", async (step, expected) => {
    await using user = newFaultUser();
    for (let round = 0; round < ROUNDS; round++) await killAtStart(user, step, expected);
    report(`kill -9 at ${step}: ${ROUNDS} times, ${expected}, nothing left`);
  });
});

async function killAtStart(user: FaultUser, step: string, expected: string): Promise<void> {
  const before = await sessionsOf(user);
  await diesAt(user, step, ["start", "-d", "--", "sleep", "500"]);
  await user.up();
  const made = (await sessionsOf(user)).filter(({ id }) => !before.some((known) => known.id === id));
  expect(made.length).toBe(expected === "none" ? 0 : 1);
  const [session] = made;
  if (session && expected === "no_process")
    await reaches(user, session.id, { state: "unknown", end_reason: expected });
  if (session && expected === "running") await endProperly(user, session);
  await expectNothingLeft(user);
}

/** The daemon that runs then dies at this step of what it is asked for, and nowhere else. */
async function diesAt(user: FaultUser, step: string, [verb = "", ...args]: readonly string[]): Promise<void> {
  const daemon = await user.restart({ ROLLCALL_FAULT: step });
  const answer = await user.rollcall([verb, "--json", ...args]);
  expect(answer).toMatchObject({ code: 1, error: { code: "daemon_failed" } });
  await gone(daemon);
}

async function endProperly(user: FaultUser, { id }: Shown): Promise<void> {
  await reaches(user, id, { state: "running" });
  const ended = (await user.ok(["end", id, "--json"])).only;
  expect(ended).toMatchObject({ session: { state: "stopped", exit_signal: "SIGTERM" }, remaining: [] });
}

const RESUME = {
  "start.recorded": "unknown",
  "start.spawned": "waiting_input",
  "start.launched": "waiting_input",
} as const;

describe("kill -9 of the daemon in the middle of a resume", TOGETHER, () => {
  test.each(Object.entries(RESUME))("at %s leaves %s", async (step, expected) => {
    await using user = newFaultUser();
    const { id } = await user.start(["scripted"]);
    await user.reach(id, "waiting_input");
    await user.ok(["send", id, "say hello", "--wait"]);
    await user.ok(["end", id]);
    for (let round = 0; round < ROUNDS; round++) {
      await diesAt(user, step, ["resume", id, "-d"]);
      await user.up();
      await reaches(user, id, { state: expected, generation: round + 2 });
      if (expected === "waiting_input") await user.ok(["end", id]);
      await expectNothingLeft(user);
    }
    report(`kill -9 in a resume at ${step}: ${ROUNDS} times, ${expected}, nothing left`);
  });
});

const END = [
  "end.asked",
  "end.stopping",
  "end.signalled",
  "end.empty",
  "end.recorded",
  "end.kept",
  "end.removed",
];

describe("kill -9 of the daemon in the middle of an end", TOGETHER, () => {
  test.each(END)("at %s: it is ended afterwards, with its real exit", async (step) => {
    await using user = newFaultUser();
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await user.start(["--", "sleep", "500"]);
      await diesAt(user, step, ["end", id, "--grace", "1s"]);
      await user.up();
      // Nothing was recorded, so nothing was asked for: it runs on.
      if (step === "end.asked") await endProperly(user, await reaches(user, id, { state: "running" }));
      await reaches(user, id, { state: "stopped", outcome: "interrupted", exit_signal: "SIGTERM" });
      await expectNothingLeft(user);
    }
    report(`kill -9 at ${step}: ${ROUNDS} times, stopped, nothing left`);
  });

  test("after the polite stop: the agent that left by itself is stopped, not failed", async () => {
    await using user = newFaultUser();
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await user.start(["scripted"]);
      await user.reach(id, "waiting_input");
      await diesAt(user, "end.polite", ["end", id]);
      await user.up();
      await reaches(user, id, { state: "stopped" });
      await expectNothingLeft(user);
    }
  });

  test("when it looks what is left of it, again and again", async () => {
    await using user = newFaultUser();
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await user.start(["--", "sleep", "500"]);
      await user.killDaemon();
      const died = await user.rollcall(["up"], { env: { ROLLCALL_FAULT: "back.looked" } });
      expect(died).toMatchObject({ code: 1 });
      await user.up();
      await endProperly(user, await user.get(id));
      await expectNothingLeft(user);
    }
  });
});

const INPUT = { "input.recorded": [], "input.written": ["once"] } as const;

describe("kill -9 of the daemon in the middle of an input", TOGETHER, () => {
  test.each(Object.entries(INPUT))(
    "at %s: the agent gets it at most once, and goes on",
    async (step, got) => {
      await using user = newFaultUser();
      const ledger = join(user.folder, "heard");
      const hear = `while read line; do echo "$line" >> ${ledger}; done`;
      const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", hear]);
      for (let round = 0; round < ROUNDS; round++) {
        await diesAt(user, step, ["send", id, "once"]);
        await user.up();
        await user.ok(["send", id, `after ${round}`]);
        await until(() => heard(ledger).includes(`after ${round}`), "the next input");
      }
      const rounds = Array.from({ length: ROUNDS }, (_, round) => [...got, `after ${round}`]);
      expect(heard(ledger)).toEqual(rounds.flat());
    },
  );
});

function heard(ledger: string): string[] {
  return existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [];
}

async function sessionsOf(user: FaultUser): Promise<readonly Shown[]> {
  return (await user.ok(["list", "--json", "--limit", "all"])).json.sessions;
}

/** But for the daemon. */
async function expectNothingLeft(user: FaultUser): Promise<void> {
  await until(() => user.launchFolders().length === 0, "the folders of launches to go");
  const daemon = await user.daemonPid();
  expect(processesOf(user.folder).filter(({ pid }) => pid !== daemon)).toEqual([]);
  if (daemon !== undefined) await user.killDaemon();
}
