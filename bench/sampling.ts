import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { identifyProcess } from "../src/machine/process.ts";
import { scanProcesses } from "../src/telemetry/process-scan.ts";
import { ProcessTrees, type TreeRoots } from "../src/telemetry/process-tree.ts";
import type { Bench, Figure } from "./figure.ts";
import { interleave, tookMs } from "./measure.ts";

const SESSIONS = 200;
const PROCESSES = 5;
/** One process with four children; it says when all are there. */
const TREE = "sleep 1000 & sleep 1000 & sleep 1000 & sleep 1000 & echo ready; wait";

/** One measurement of 200 sessions of 5 processes, against a list of all processes by `ps -e`. */
export async function* sampling(bench: Bench): AsyncIterable<Figure> {
  const children = await Promise.all(Array.from({ length: SESSIONS }, async () => startTree(bench)));
  try {
    const launches = children.map(({ pid }) => rootsOf(pid as number));
    const trees = new ProcessTrees();
    const measure = () => trees.read(launches, scanProcesses());
    const found = measure().reduce((sum, { processes }) => sum + processes, 0);
    if (found !== SESSIONS * PROCESSES) throw new Error(`${found} processes were found.`);
    const before = startedChildren();
    const compared = await interleave({
      rounds: bench.isQuick ? 11 : 31,
      ours: () => tookMs(() => void measure()),
      baseline: () => tookMs(() => void execFileSync("ps", ["-e"], { maxBuffer: 1e8 })),
    });
    const note = `CPU, memory and IO of ${SESSIONS} sessions of ${PROCESSES} processes, against \`ps -e\`; aim 0.8`;
    yield { name: "sampling", ...compared, value: compared.ratio, valueUnit: "x", unit: "ms", note };
    const afterPs = startedChildren();
    for (let round = 0; round < 10; round++) measure();
    const started = before === afterPs ? Number.NaN : startedChildren() - afterPs;
    yield {
      name: "sampling-children",
      value: started,
      valueUnit: "count",
      note: "page faults of programs that measuring started",
    };
  } finally {
    for (const { pid } of children) endGroup(pid as number);
  }
}

async function startTree(bench: Bench): Promise<ChildProcess> {
  const child = spawn("sh", ["-c", TREE], { stdio: ["ignore", "pipe", "ignore"], detached: true });
  bench.scratch.watch(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

function rootsOf(pid: number): TreeRoots {
  return { marker: `none-${pid}`, carriers: [], members: [identifyProcess(pid)] };
}

/** A program that was started and has left leaves its page faults with us. */
function startedChildren(): number {
  const stat = readFileSync("/proc/self/stat", "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[8]);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has left.
  }
}
