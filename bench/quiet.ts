import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { cpuMs, LiveDaemon, liveMissing } from "./live-daemon.ts";
import { memoryOf, rssMbOf, showMemory } from "./memory.ts";

const SESSIONS = 200;
const SECONDS = 60;
const NAMES = ["quiet-cpu", "quiet-children", "quiet-memory"];

/** The cost of 200 sessions in which nothing happens, against a loop that looks at 200 panes of tmux once a second. */
export async function* quiet(bench: Bench): AsyncIterable<Figure | NotRun> {
  const notRun = liveMissing() ?? tmuxMissing();
  if (notRun) {
    for (const name of NAMES) yield { name, notRun };
    return;
  }
  const ours = await ourCost(bench, SECONDS);
  // The loop costs the same in every second.
  const seconds = bench.isQuick ? 15 : SECONDS;
  const baseline = ((await loopCost(bench, seconds)) * SECONDS) / seconds;
  const note = `${SESSIONS} quiet sessions for ${SECONDS} s, against tmux capture-pane of each once a second`;
  yield {
    name: "quiet-cpu",
    value: ours.cpu / baseline,
    ours: ours.cpu,
    baseline,
    valueUnit: "x",
    unit: "ms",
    note,
  };
  yield {
    name: "quiet-children",
    value: ours.children,
    valueUnit: "count",
    note: "processes that the daemon started meanwhile",
  };
  const memory = `resident set of the daemon; ${ours.memory}`;
  yield { name: "quiet-memory", value: ours.memoryMb, valueUnit: "MB", note: memory };
}

async function ourCost(
  bench: Bench,
  seconds: number,
): Promise<{ cpu: number; children: number; memoryMb: number; memory: string }> {
  await using daemon = await LiveDaemon.open(bench.scratch);
  for (let made = 0; made < SESSIONS; made += 20) await startSome(daemon, 20);
  // Work that the starts have left to do is not measured.
  await sleep(3000);
  const before = cpuMs(daemon.pid);
  const seen = new Set<string>();
  for (let passed = 0; passed < seconds * 10; passed++) {
    for (const child of childrenOf(daemon.pid)) seen.add(child);
    await sleep(100);
  }
  const after = cpuMs(daemon.pid);
  // A child that came and went between two looks has left its page faults.
  const unseen = after.childFaults > before.childFaults && seen.size === 0 ? 1 : 0;
  const memoryMb = rssMbOf(daemon.pid);
  const memory = showMemory(await memoryOf(daemon));
  return { cpu: after.own - before.own, children: seen.size + unseen, memoryMb, memory };
}

/** Half are plain commands, half agents at their prompt. */
async function startSome(daemon: LiveDaemon, count: number): Promise<void> {
  const started = Array.from({ length: count }, async (_, n) => {
    if (n % 2 === 0) return void (await daemon.start("unknown", ["sleep", "1000"]));
    await daemon.waitFor(await daemon.start("scripted", []), "waiting_input");
  });
  await Promise.all(started);
}

async function loopCost(bench: Bench, seconds: number): Promise<number> {
  const folder = bench.scratch.folder();
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(folder, "tmux"), "-f", "/dev/null", ...args]);
  for (let made = 0; made < SESSIONS; made++) tmux("new-session", "-d", "-s", `s${made}`, "sleep", "1000");
  const loop = `while :; do i=0; while [ $i -lt ${SESSIONS} ]; do tmux -S ${join(folder, "tmux")} capture-pane -p -t =s$i: >/dev/null; i=$((i+1)); done; sleep 1; done`;
  const child = bench.scratch.watch(spawn("sh", ["-c", loop], { stdio: "ignore" }));
  try {
    await sleep(2000);
    const before = cpuMs(child.pid as number).withChildren;
    await sleep(seconds * 1000);
    return cpuMs(child.pid as number).withChildren - before;
  } finally {
    child.kill("SIGKILL");
    tmux("kill-server");
  }
}

function childrenOf(pid: number): string[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").trim().split(" "))
    .filter(Boolean);
}

function tmuxMissing(): string | undefined {
  try {
    execFileSync("tmux", ["-V"]);
    return undefined;
  } catch {
    return "tmux is missing (apt-get install tmux)";
  }
}
