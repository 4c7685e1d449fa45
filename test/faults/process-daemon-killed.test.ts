import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { findExitFile } from "../../src/host/holder-files.ts";
import type { Rollcall } from "../../src/index.ts";
import { readRecording } from "../../src/recording/recording-segments.ts";
import type { Shown } from "../cli/rollcall.ts";
import { isAlive, until } from "../live/user.ts";
import { Decoys } from "./decoys.ts";
import { type FaultUser, newFaultUser, reaches } from "./fault-user.ts";
import { PATIENCE_MS, report, seededRandom, times } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const SESSIONS = 20;

test("kill -9 of the daemon under twenty busy sessions loses nothing, ends none and signals no stranger", async () => {
  await using user = newFaultUser();
  using decoys = new Decoys();
  const random = seededRandom("kill -9 of the daemon");
  const sessions = await startOracles(user);
  const acknowledged: string[] = [];
  const asked: string[] = [];
  const comeBackMs: number[] = [];
  const kills = times(5, 200);
  for (let round = 0; round < kills; round++) {
    await Promise.all([
      sendUntilKilled(user, sessions[0] as Shown, round, { asked, acknowledged }),
      sleep(random.between(50, 600)).then(() => user.killDaemon()),
    ]);
    expect(sessions.filter(({ process }) => !isAlive((process as { pid: number }).pid))).toEqual([]);
    const before = performance.now();
    await user.up();
    comeBackMs.push(Math.round(performance.now() - before));
    const states = (await user.ok(["list", "--json", "--limit", "all"])).json.sessions;
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(["running"]));
  }
  await user.ok(["end", "--all", "--grace", "2s"]);
  await using rollcall = await user.library();
  let lines = 0;
  for (const session of sessions) lines += await expectComplete(user, rollcall, session);
  await expectInputs(rollcall, sessions[0] as Shown, asked, acknowledged);
  expect((await rollcall.verify()).problems).toEqual([]);
  expect(user.launchFolders()).toEqual([]);
  decoys.expectUntouched();
  report(
    `kill -9 of the daemon: ${kills} kills, ${SESSIONS} sessions, ${lines} lines and ${acknowledged.length} acknowledged inputs, 0 lost; back within ${Math.max(...comeBackMs)} ms`,
  );
  expect(acknowledged.length).toBeGreaterThan(kills);
});

/** Half of them on a terminal, half on pipes. */
async function startOracles(user: FaultUser): Promise<Shown[]> {
  const oracle = user.program("oracle");
  return Promise.all(
    Array.from({ length: SESSIONS }, async (_, n) => {
      const kind = n % 2 === 0 ? "autonomous" : "interactive";
      const ledger = join(user.folder, `ledger-${n}`);
      const session = await user.start(["--kind", kind, "--", oracle, ledger, "20000"]);
      return { ...session, ledger };
    }),
  );
}

/** Every call that was answered must be in the record afterwards; one that was not may be. */
async function sendUntilKilled(
  user: FaultUser,
  session: Shown,
  round: number,
  { asked, acknowledged }: { readonly asked: string[]; readonly acknowledged: string[] },
): Promise<void> {
  using client = await user.door();
  try {
    for (let n = 0; ; n++) {
      const text = `input ${round}-${n}.`;
      asked.push(text);
      await client.call("send_input", { sessionId: session.id, text });
      acknowledged.push(text);
      await sleep(5);
    }
  } catch (error) {
    expect((error as { code?: string }).code).toBe("daemon_failed");
  }
}

/** Each line once and in order, and every line that the agent itself knows of. */
async function expectComplete(user: FaultUser, rollcall: Rollcall, session: Shown): Promise<number> {
  const said = session.kind === "interactive" ? recorded(user, session) : await transcript(rollcall, session);
  const numbers = said.split(/\r?\n/).filter((line) => line.startsWith("n="));
  const known = readFileSync(session.ledger as string, "utf8")
    .trim()
    .split("\n");
  expect(numbers.length).toBeGreaterThanOrEqual(known.length);
  expect(numbers).toEqual(Array.from(numbers, (_, n) => `n=${n + 1}`));
  expect(await user.get(session.id)).toMatchObject({ state: "stopped", exit_signal: "SIGTERM" });
  return numbers.length;
}

function recorded(user: FaultUser, { id }: Shown): string {
  const events = [...readRecording(join(user.state, "recordings", id))];
  const isLoss = (text: string) => text.endsWith("dropped");
  return events.map(([, kind, text]) => (kind === "o" || isLoss(text) ? text : "")).join("");
}

async function transcript(rollcall: Rollcall, { id }: Shown): Promise<string> {
  const entries = await Array.fromAsync(rollcall.entries(id));
  return entries.map(({ role, text }) => (role === "assistant" ? text : "")).join("");
}

async function expectInputs(
  rollcall: Rollcall,
  { id }: Shown,
  asked: readonly string[],
  acknowledged: readonly string[],
): Promise<void> {
  const events = await Array.fromAsync(rollcall.events(id));
  const given = events.flatMap(({ body }) => (body.kind === "input_given" ? [body.text] : []));
  expect(given).toEqual(asked.filter((text) => given.includes(text)));
  expect(given).toEqual(expect.arrayContaining([...acknowledged]));
}

test("an agent that exits while there is no daemon has its real code and time of end", async () => {
  await using user = newFaultUser();
  const gate = join(user.folder, "gate");
  const wait = `while [ ! -e ${gate} ]; do sleep 0.02; done; echo last; exit 42`;
  const session = await user.start(["--kind", "autonomous", "--", "sh", "-c", wait]);
  const { id } = session;
  const { folder } = user.holderOf(session);
  await user.killDaemon();
  const before = Date.now();
  writeFileSync(gate, "");
  // The agent's pid is free a moment before the holder notes the time.
  await until(() => findExitFile(folder) !== undefined, "the holder to write the exit down");
  const after = Date.now();
  await sleep(300);
  await user.up();
  const ended = await reaches(user, id, {
    state: "failed",
    outcome: "failure",
    exit_code: 42,
    exit_signal: null,
  });
  expect(Date.parse(ended.ended_at as string)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(ended.ended_at as string)).toBeLessThanOrEqual(after);
  expect((await user.ok(["data", id])).stdout).toContain("last");
});
