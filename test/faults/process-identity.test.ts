import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startTimeOf } from "../../src/machine/process.ts";
import { ROOT, type Shown } from "../cli/rollcall.ts";
import { gone } from "../live/user.ts";
import { Decoys, processState, whyNoPids } from "./decoys.ts";
import {
  type FaultUser,
  type Held,
  isSame,
  killNow,
  newFaultUser,
  reaches,
  whyNoCompiler,
} from "./fault-user.ts";
import { whyNot } from "./mounts.ts";
import { PATIENCE_MS, report } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const noPids = whyNoPids();
if (noPids !== undefined) report(`reused pids: not run: ${noPids}`);

test.skipIf(noPids !== undefined)(
  "strangers that took the pids of a lost session are not signalled",
  async () => {
    await using user = newFaultUser();
    const { session, pids, decoys: taken } = await sessionWithTakenPids(user);
    using decoys = taken;
    // A signal that wakes would be seen too.
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    await user.up();
    await reaches(user, session.id, { state: "unknown", end_reason: "holder_lost" });
    expect(await user.rollcall(["end", session.id, "--grace", "200ms"])).toMatchObject({ code: 4 });
    expect(await user.get(session.id)).toMatchObject({ state: "unknown", end_reason: "not_proven" });
    decoys.expectUntouched();
    expect(pids.map(processState)).toEqual(["T", "T", "T"]);
  },
);

test("strangers whose pids and start times both match are not signalled: they lack the marker", async () => {
  await using user = newFaultUser();
  const session = await user.start(["--", "sleep", "600"]);
  const held = user.holderOf(session);
  using decoys = new Decoys(held.marker);
  await killAll(user, held);
  // As if each had been started within the tick of the clock in which the other left.
  const file = JSON.parse(readFileSync(join(held.folder, "holder.json"), "utf8"));
  const stranger = () => {
    const pid = decoys.add("rollcall-holder");
    process.kill(pid, "SIGSTOP");
    return { pid, start_time: startTimeOf(pid) };
  };
  const reused = { ...file, guard: stranger(), holder: stranger(), agent: stranger() };
  writeFileSync(join(held.folder, "holder.json"), JSON.stringify(reused));
  await user.up();
  await reaches(user, session.id, { state: "unknown", end_reason: "holder_lost" });
  expect(await user.rollcall(["end", session.id, "--grace", "200ms"])).toMatchObject({ code: 4 });
  expect(await user.get(session.id)).toMatchObject({ state: "unknown", end_reason: "not_proven" });
  decoys.expectUntouched();
  expect(processState(reused.holder.pid)).toBe("T");
});

/** A lost session whose pids strangers have; another is begun where some other process got one of them first. */
async function sessionWithTakenPids(user: FaultUser) {
  for (let tries = 0; tries < 20; tries++) {
    const session = await user.start(["--", "sleep", "600"]);
    const held = user.holderOf(session);
    const decoys = new Decoys(held.marker);
    await killAll(user, held);
    const pids = [held.guard.pid, held.holder.pid, held.agent.pid];
    let isTaken = true;
    for (const pid of pids) isTaken &&= await decoys.takePid(pid);
    if (isTaken) return { session, pids, decoys };
    decoys[Symbol.dispose]();
    await user.up();
  }
  throw new Error("No session's pids could be had again.");
}

async function killAll(user: FaultUser, { guard, holder, agent }: Held): Promise<void> {
  await user.killDaemon();
  for (const { pid } of [guard, holder, agent]) await killNow(pid);
}

const noMounts = whyNot("tmpfs");
if (noMounts !== undefined) report(`reboot: not run: ${noMounts}`);

test.skipIf(noMounts !== undefined)(
  "after a reboot the session is unknown, and nothing is signalled",
  async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    const held = user.holderOf(session);
    await user.killDaemon();
    await using daemon = await rebootedDaemon(user);
    await reaches(user, session.id, { state: "unknown", end_reason: "machine_reboot", outcome: null });
    // These stand for the strangers that have the same pids and start times after the boot.
    for (const process of [held.guard, held.holder, held.agent]) expect(isSame(process)).toBe(true);
    await daemon[Symbol.asyncDispose]();
    for (const { pid } of [held.guard, held.holder, held.agent]) await killNow(pid);
  },
);

/** A daemon to which the kernel tells another boot id: in a mount namespace of its own, another file lies there. */
async function rebootedDaemon(user: FaultUser): Promise<AsyncDisposable> {
  const fake = join(user.folder, "boot-id");
  writeFileSync(fake, "00000000-1111-2222-3333-444444444444\n");
  const script = `mount --bind ${fake} /proc/sys/kernel/random/boot_id && exec "$0" "$1"`;
  const program = [process.execPath, join(ROOT, "bin", "rollcall-daemon.cjs")];
  const child = spawn("unshare", ["-m", "--propagation", "private", "sh", "-c", script, ...program], {
    env: user.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(said.toString()).toBe("ready\n");
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await gone(child.pid as number);
    },
  };
}

const noCompiler = whyNoCompiler();
if (noCompiler !== undefined) report(`clock jumps: not run: ${noCompiler}`);

describe.skipIf(noCompiler !== undefined)("when the clock jumps by a day", () => {
  test("no time-out fires early or late, no session is lost, and events stay in order", async () => {
    await using user = newFaultUser();
    const clock = new Clock(user);
    await user.up(clock.env);
    const long = await user.start(["--timeout", "1h", "--idle-timeout", "1h", "--", "cat"]);
    clock.shift(86_400);
    await user.ok(["send", long.id, "tomorrow"]);
    clock.shift(-86_400);
    const short = await user.start(["--timeout", "2s", "--", "sleep", "600"]);
    await user.ok(["send", long.id, "yesterday"]);
    await user.restart(clock.env);
    clock.shift(86_400);
    await reaches(user, short.id, { state: "stopped", end_reason: "timeout", outcome: "interrupted" });
    expect(await user.get(long.id)).toMatchObject({ state: "running" });
    await expectOrder(user, long);
  });
});

async function expectOrder(user: FaultUser, { id }: Shown): Promise<void> {
  await using rollcall = await user.library();
  const events = await Array.fromAsync(rollcall.events(id));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));
  const inputs = events.filter(({ body }) => body.kind === "input_given");
  const offDays = inputs.map(({ at }) => Math.round((Date.parse(at) - Date.now()) / 86_400_000));
  expect(offDays).toEqual([1, -1]);
}

/** The wall clock of whoever is started with its environment. */
class Clock {
  readonly env: Record<string, string>;
  readonly #path: string;

  constructor(user: FaultUser) {
    this.#path = join(user.folder, "shift");
    this.shift(0);
    this.env = { LD_PRELOAD: user.program("shifted-clock"), CLOCK_SHIFT: this.#path };
  }

  /** In place: the file is mapped. */
  shift(seconds: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    writeFileSync(this.#path, bytes, { flag: this.#exists() ? "r+" : "w" });
  }

  #exists(): boolean {
    try {
      return readFileSync(this.#path).length === 8;
    } catch {
      return false;
    }
  }
}
