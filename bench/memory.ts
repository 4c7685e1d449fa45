import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Where the memory of a Node process is, in megabytes: JavaScript, and what it has outside of that. */
export interface Memory {
  readonly heapUsed: number;
  readonly heapTotal: number;
  readonly external: number;
}

interface Measured {
  readonly pid: number;
  readonly home: string;
}

/** Lets the daemon that is started with it tell its memory, and nothing else of it is changed. */
export function memoryEnv(home: string): NodeJS.ProcessEnv {
  const script = join(import.meta.dirname, "memory-probe.cjs");
  return { NODE_OPTIONS: `--require ${script}`, ROLLCALL_BENCH_MEMORY: fileIn(home) };
}

export async function memoryOf({ pid, home }: Measured): Promise<Memory> {
  const file = fileIn(home);
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(file)) await sleep(20);
  return JSON.parse(readFileSync(file, "utf8")) as Memory;
}

export function showMemory({ heapUsed, heapTotal, external }: Memory): string {
  return `heap ${heapUsed} of ${heapTotal}, external ${external} MB`;
}

export function rssMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}

function fileIn(home: string): string {
  return join(home, "memory.json");
}
