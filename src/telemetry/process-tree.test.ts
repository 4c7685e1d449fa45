import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { identifyProcess } from "../machine/process.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { Meter } from "./meter.ts";
import { mapIo, scanProcesses, TICK_MS } from "./process-scan.ts";
import { ProcessTrees, type TreeReading, type TreeRoots } from "./process-tree.ts";

const MEGABYTE = 1024 * 1024;

/** Uses so much of everything, says so, and then leaves or does nothing. */
const USE = `
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const [how, cpuMs, bytes, file, fileBytes] = process.argv.slice(1);
const kept = Buffer.alloc(Number(bytes), 1);
if (file !== "-") require("fs").writeFileSync(file, Buffer.alloc(Number(fileBytes), 1));
while (used() < Number(cpuMs));
console.log(JSON.stringify({ pid: process.pid, usedMs: used() }));
if (how !== "wait") setInterval(() => kept.length, 1e6);
`;

/** Starts what it is told on each line, waits for it where it is told so, and says what that said. */
const STARTER = `
const { spawn, spawnSync } = require("child_process");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { how, args } = JSON.parse(line);
  if (how === "wait") return process.stdout.write(spawnSync(process.execPath, args).stdout);
  const stdio = ["ignore", "inherit", "ignore"];
  if (how === "twice") spawnSync("sh", ["-c", '"$0" "$@" &', process.execPath, ...args], { stdio });
  else spawn(process.execPath, args, { stdio, detached: how === "detached" });
});
`;

interface Use {
  readonly cpuMs?: number;
  readonly bytes?: number;
  readonly file?: string;
  readonly fileBytes?: number;
}

test("a whole tree is measured as the kernel counts it, also what has left the tree or its session", async () => {
  using folder = tempFolder();
  await using starter = await start();
  const direct = await starter.run("child", { cpuMs: 300, bytes: 50 * MEGABYTE });
  const detached = await starter.run("detached", { file: join(folder.path, "a"), fileBytes: 3 * MEGABYTE });
  const orphan = await starter.run("twice", { cpuMs: 200, bytes: 30 * MEGABYTE });
  const pids = [starter.pid, direct.pid, detached.pid, orphan.pid];
  // A stopped process changes no counter: the test reads the same ones as the scan.
  await stop(pids);
  const reading = read(starter.roots);
  expect(reading.processes).toBe(4);
  expect(ticksIn(reading)).toBe(sum(pids, kernelTicks));
  expect(reading.io?.writeChars).toBe(sum(pids, (pid) => kernelIo(pid, "wchar")));
  expect(reading.io?.readChars).toBe(sum(pids, (pid) => kernelIo(pid, "rchar")));
  expect(reading.io?.writeBytes).toBe(sum(pids, (pid) => kernelIo(pid, "write_bytes")));
  expect(reading.vszBytes).toBe(sum(pids, (pid) => Number(kernelStat(pid)[20])));
  expect(reading.rssBytes).toBeGreaterThan(80 * MEGABYTE);
  expect(reading.io?.writeChars).toBeGreaterThanOrEqual(3 * MEGABYTE);
  expect(ticksIn(reading) * TICK_MS).toBeGreaterThanOrEqual(500 - 4 * TICK_MS);
});

test("a process that came and went between two readings is counted in full", async () => {
  using folder = tempFolder();
  await using starter = await start();
  const meter = new Meter({ sinceMs: 1000, countedCpuMs: 0, ioBefore: mapIo(() => 0) }, 0);
  const before = meter.measure(read(starter.roots), 0);
  const { usedMs } = await starter.run("wait", {
    cpuMs: 300,
    file: join(folder.path, "a"),
    fileBytes: 2 * MEGABYTE,
  });
  const after = meter.measure(read(starter.roots), 1000);
  // Over a second, so that a percent is 10 ms; the kernel may round each of four counters down to a tick.
  expect((after.cpuPercent ?? 0) * 10).toBeGreaterThanOrEqual(usedMs - 4 * TICK_MS);
  expect((after.ioWriteChars ?? 0) - (before.ioWriteChars ?? 0)).toBeGreaterThanOrEqual(2 * MEGABYTE);
  expect(after.processes).toBe(1);
});

test("of a carrier only the children that it has waited for are counted", async () => {
  using folder = tempFolder();
  await using starter = await start();
  const roots = { ...starter.roots, carriers: starter.roots.members, members: [] };
  const before = read(roots);
  expect(before).toMatchObject({ processes: 0, rssBytes: 0 });
  await starter.run("wait", { cpuMs: 200, file: join(folder.path, "a"), fileBytes: MEGABYTE });
  const after = read(roots);
  expect(ticksIn(after)).toBe(Number(kernelStat(starter.pid)[13]) + Number(kernelStat(starter.pid)[14]));
  expect((after.io?.writeChars ?? 0) - (before.io?.writeChars ?? 0)).toBeGreaterThanOrEqual(MEGABYTE);
});

test("a pid that another process has now is nobody's", async () => {
  await using starter = await start();
  const known = { pid: starter.pid, startTime: "1" };
  expect(read({ marker: newMarker(), carriers: [known], members: [known] }).processes).toBe(0);
});

/** One for each test: the processes of another may take a moment to go. */
function newMarker(): string {
  return randomBytes(16).toString("hex");
}

async function start() {
  const marker = newMarker();
  const env = { PATH: process.env.PATH, ROLLCALL_SESSION: marker };
  const child = spawn(process.execPath, ["-e", STARTER], { env, stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout });
  const started: number[] = [];
  const pid = child.pid as number;
  return {
    pid,
    roots: { marker, carriers: [], members: [identifyProcess(pid)] } satisfies TreeRoots,
    /** Resolves when it has used what it was to use. */
    run: async (how: "child" | "detached" | "twice" | "wait", use: Use) => {
      const { cpuMs = 0, bytes = 0, file = "-", fileBytes = 0 } = use;
      const args = ["-e", USE, how, ...[cpuMs, bytes, file, fileBytes].map(String)];
      child.stdin.write(`${JSON.stringify({ how, args })}\n`);
      const [line] = (await once(lines, "line")) as [string];
      const said = JSON.parse(line) as { pid: number; usedMs: number };
      if (how !== "wait") started.push(said.pid);
      return said;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, "close");
      child.kill("SIGKILL");
      for (const one of started) process.kill(one, "SIGKILL");
      await closed;
    },
  };
}

function read(roots: TreeRoots): TreeReading {
  return new ProcessTrees().read([roots], scanProcesses())[0] as TreeReading;
}

function ticksIn({ ticks }: TreeReading): number {
  return ticks.values().reduce((total, { own, reaped }) => total + own + reaped, 0);
}

function kernelTicks(pid: number): number {
  return sum(kernelStat(pid).slice(11, 15), Number);
}

async function stop(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  while (!pids.every((pid) => kernelStat(pid)[0] === "T")) await new Promise(setImmediate);
}

/** From the state on. */
function kernelStat(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function kernelIo(pid: number, name: string): number {
  return Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);
}

function sum<T>(of: readonly T[], value: (one: T) => number): number {
  return of.reduce((total, one) => total + value(one), 0);
}
