import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cliMissing, LAUNCHER } from "./cli.ts";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { tookMs } from "./measure.ts";
import { childEnv } from "./scratch.ts";
import { filledHome } from "./stores.ts";

/** In the short form too: with fewer, a heap that grows would not show. */
const SESSIONS = 100_000;
const SAMPLE_MS = 5;
/** Stands once in each record. */
const MARK = '"usage_with_children"';

/** The most memory that a listing of everything takes, as the kernel counts it. */
export async function* listMemory(bench: Bench): AsyncIterable<Figure | NotRun> {
  const name = "list-memory";
  const notRun = cliMissing();
  if (notRun) {
    yield { name, notRun };
    return;
  }
  const home = await filledHome(bench, SESSIONS);
  let peak = 0;
  const took = await tookMs(async () => {
    peak = await peakOfListing(bench, home, SESSIONS);
  });
  const note = `${SESSIONS} sessions as JSON in ${(took / 1000).toFixed(1)} s`;
  yield { name, value: peak / 1000, valueUnit: "MB", note };
}

async function peakOfListing({ scratch }: Bench, home: string, sessions: number): Promise<number> {
  const child = spawn(process.execPath, [LAUNCHER, "list", "--json", "--limit", "all"], {
    cwd: home,
    env: childEnv({ ROLLCALL_HOME: home }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  scratch.watch(child);
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, peakKilobytes(child.pid));
  }, SAMPLE_MS);
  try {
    const listed = await countMarks(child.stdout);
    if (child.exitCode === null) await once(child, "exit");
    if (child.exitCode !== 0 || listed !== sessions)
      throw new Error(
        `rollcall list gave ${listed} of ${sessions} sessions and exited with ${child.exitCode}.`,
      );
  } finally {
    clearInterval(sampling);
  }
  return peak;
}

/** The kernel's own high-water mark; 0 for a process that is gone. Never falls, so the last sample is enough. */
function peakKilobytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024) / 1000;
  } catch {
    return 0;
  }
}

async function countMarks(stream: AsyncIterable<Buffer>): Promise<number> {
  let count = 0;
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + chunk.toString("latin1")).split(MARK);
    count += parts.length - 1;
    rest = parts.at(-1)?.slice(-MARK.length) ?? "";
  }
  return count;
}
