import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { asking, atPrompt, statesOf } from "../live/scripted.ts";
import { gone, isAlive, processesOf, until } from "../live/user.ts";
import { Decoys, processState } from "./decoys.ts";
import { type FaultUser, isSame, killNow, newFaultUser, reaches } from "./fault-user.ts";
import { PATIENCE_MS, times } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

/** An agent with a child in its own session and one that ignores TERM; each writes its pid down. */
function family(user: FaultUser): { readonly args: string[]; readonly pids: () => Promise<number[]> } {
  const folder = join(user.folder, "family");
  const child = (name: string, how: string) =>
    `${how} sh -c 'trap "" TERM HUP; echo $$ > ${folder}-${name}; exec sleep 600' &`;
  const script = `${child("plain", "")} ${child("setsid", "setsid")} echo begun; exec sleep 600`;
  return {
    args: ["--", "sh", "-c", script],
    pids: async () =>
      Promise.all(["plain", "setsid"].map(async (name) => Number(await written(`${folder}-${name}`)))),
  };
}

async function written(path: string): Promise<string> {
  const read = () => {
    try {
      return readFileSync(path, "utf8").trim();
    } catch {
      return "";
    }
  };
  await until(() => read() !== "", path);
  return read();
}

describe("kill -9", { concurrent: true }, () => {
  test("of the holder: the guard ends all children, and how the agent would have ended is not known", async () => {
    await using user = newFaultUser();
    const { args, pids } = family(user);
    await user.ok(["config", "set", "end.grace", "500ms"]);
    const session = await user.start(args);
    const { agent, holder, marker } = user.holderOf(session);
    using decoys = new Decoys(marker);
    const children = await pids();
    await killNow(holder.pid);
    await expectLost(user, session, [agent.pid, ...children]);
    decoys.expectUntouched();
  });

  test("of the guard: nothing changes, and the end is proven as ever", async () => {
    await using user = newFaultUser();
    const { args, pids } = family(user);
    const session = await user.start(args);
    const { guard, agent } = user.holderOf(session);
    const children = await pids();
    await killNow(guard.pid);
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    expect(isAlive(agent.pid)).toBe(true);
    const ended = (await user.ok(["end", session.id, "--grace", "300ms", "--json"])).only;
    expect(ended).toMatchObject({ session: { state: "stopped", exit_signal: "SIGTERM" }, killed: 2 });
    expect(children.filter(isAlive)).toEqual([]);
  });

  test("of holder and guard: what carries the marker is ended", async () => {
    await using user = newFaultUser();
    const { args, pids } = family(user);
    const session = await user.start(args);
    const { guard, holder, agent, marker } = user.holderOf(session);
    using decoys = new Decoys(marker);
    const children = await pids();
    await killNow(guard.pid);
    await killNow(holder.pid);
    await expectLost(user, session, [agent.pid, ...children]);
    decoys.expectUntouched();
  });

  test("of holder, guard and daemon: the next daemon ends what is left", async () => {
    await using user = newFaultUser();
    const { args, pids } = family(user);
    const session = await user.start(args);
    const { guard, holder, agent, marker } = user.holderOf(session);
    using decoys = new Decoys(marker);
    const children = await pids();
    await user.killDaemon();
    await killNow(guard.pid);
    await killNow(holder.pid);
    await user.up();
    await expectLost(user, session, [agent.pid, ...children]);
    decoys.expectUntouched();
  });

  test("of the holder in the middle of a line: what the agent said is kept, once", async () => {
    await using user = newFaultUser();
    const session = await user.start([
      ...["--kind", "autonomous", "--"],
      ...["sh", "-c", "echo whole; printf half; exec sleep 600"],
    ]);
    await until(async () => (await user.ok(["data", session.id])).stdout.includes("whole"), "its output");
    await killNow(user.holderOf(session).holder.pid);
    await reaches(user, session.id, { state: "unknown" });
    const { entries } = (await user.ok(["data", session.id, "--json"])).json as {
      entries?: { text: string }[];
    };
    expect(entries?.map(({ text }) => text).join("")).toBe("whole\nhalf");
  });

  test("of an agent, as the system does when memory is short: failed by SIGKILL", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    await killNow((session.process as { pid: number }).pid);
    await reaches(user, session.id, {
      state: "failed",
      outcome: "failure",
      exit_signal: "SIGKILL",
      exit_code: null,
    });
  });
});

async function expectLost(user: FaultUser, { id }: Shown, pids: readonly number[]): Promise<void> {
  const lost = await reaches(user, id, { state: "unknown", end_reason: "holder_lost" });
  expect(lost).toMatchObject({ outcome: null, status: "unknown" });
  await until(() => user.launchFolders().length === 0, "its folder to go");
  expect(pids.filter(isAlive)).toEqual([]);
}

const LIVING = ["running", "waiting_input"];

describe("SIGSTOP", { concurrent: true }, () => {
  test("of the holder: the session is not taken for ended, every command answers, and end still works", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sh", "-c", "echo hello; exec sleep 600"]);
    const { holder, agent } = user.holderOf(session);
    process.kill(holder.pid, "SIGSTOP");
    for (const verb of ["get", "data", "explain"])
      expect(await user.rollcall([verb, session.id]), verb).toMatchObject({ code: 0 });
    expect((await user.ok(["explain", session.id])).stdout).toContain(
      "its holder is there and does not answer",
    );
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    await user.restart();
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    await user.ok(["end", session.id, "--grace", "1s"]);
    await gone(agent.pid);
    expect(await user.get(session.id)).toMatchObject({ state: "stopped", exit_signal: "SIGTERM" });
  });

  test("of the holder in the middle of an end: the end is tried again, and proven", async () => {
    await using user = newFaultUser();
    const { args, pids } = family(user);
    const session = await user.start(args);
    const { holder } = user.holderOf(session);
    const children = await pids();
    await user.ok(["end", session.id, "--no-wait", "--grace", "1s"]);
    process.kill(holder.pid, "SIGSTOP");
    expect(await user.get(session.id)).toMatchObject({ state: "stopping" });
    await reaches(user, session.id, { state: "stopped", outcome: "interrupted" });
    expect(children.filter(isAlive)).toEqual([]);
  });

  test("of the holder does not keep the daemon from leaving", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    const { holder } = user.holderOf(session);
    process.kill(holder.pid, "SIGSTOP");
    const daemon = (await user.daemonPid()) as number;
    process.kill(daemon, "SIGTERM");
    await gone(daemon);
    process.kill(holder.pid, "SIGCONT");
    await user.up();
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
  });

  test("of daemon, holders and agents for a while: all go on, and none is taken for ended or lost meanwhile", async () => {
    await using user = newFaultUser();
    const ledger = join(user.folder, "ledger");
    const busy = await user.start(["--kind", "autonomous", "--", user.program("oracle"), ledger, "10000"]);
    const quiet = await user.start(["--tmux", "--idle-timeout", "1h", "--", "sleep", "600"]);
    const [resting, asked] = [await atPrompt(user), await atPrompt(user)];
    await asking(user, asked, "ask Bash");
    const ours = processesOf(user.folder).map(({ pid }) => pid);
    for (const pid of ours) process.kill(pid, "SIGSTOP");
    await sleep(times(3000, 30_000));
    for (const pid of ours) process.kill(pid, "SIGCONT");
    await user.ok(["send", resting, "say back", "--wait"]);
    await user.ok(["approve", asked]);
    const states = await Promise.all([busy.id, quiet.id, resting, asked].map((id) => statesOf(user, id)));
    expect(states.flat().filter((state) => !LIVING.includes(state))).toEqual([]);
    expect(ours.filter((pid) => !isAlive(pid))).toEqual([]);
    await user.ok(["end", busy.id, "--grace", "1s"]);
    await expectAllLines(user, busy.id, ledger);
  });

  test("of the daemon for ten seconds: holders record on, nothing is lost and nothing taken for ended", async () => {
    await using user = newFaultUser();
    const ledger = join(user.folder, "ledger");
    const gate = join(user.folder, "gate");
    const busy = await user.start(["--kind", "autonomous", "--", user.program("oracle"), ledger, "5000"]);
    const leaving = `while [ ! -e ${gate} ]; do sleep 0.05; done; exit 7`;
    const left = await user.start(["--", "sh", "-c", leaving]);
    const { agent } = user.holderOf(busy);
    const daemon = (await user.daemonPid()) as number;
    process.kill(daemon, "SIGSTOP");
    writeFileSync(gate, "");
    await gone((left.process as { pid: number }).pid);
    await sleep(10_000);
    expect(processState(agent.pid)).toMatch(/[SRD]/);
    process.kill(daemon, "SIGCONT");
    await reaches(user, left.id, { state: "failed", exit_code: 7 });
    expect(await user.get(busy.id)).toMatchObject({ state: "running" });
    expect(isSame(agent)).toBe(true);
    await user.ok(["end", busy.id, "--grace", "1s"]);
    await expectAllLines(user, busy.id, ledger);
  });
});

async function expectAllLines(user: FaultUser, id: string, ledger: string): Promise<void> {
  await using rollcall = await user.library();
  const entries = await Array.fromAsync(rollcall.entries(id));
  const lines = entries
    .map(({ text }) => text)
    .join("")
    .trim()
    .split("\n");
  const known = readFileSync(ledger, "utf8").trim().split("\n");
  expect(lines).toEqual(Array.from(lines, (_, n) => `n=${n + 1}`));
  expect(lines.length).toBeGreaterThanOrEqual(known.length);
}
