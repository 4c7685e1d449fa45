import { appendFileSync, mkdirSync, readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { cpuMs, LiveDaemon, liveMissing } from "./live-daemon.ts";

const NAMES = ["transcript-file-writes", "transcript-bytes-written", "transcript-cpu"];

interface Intake {
  readonly lines: number;
  readonly bytesRead: number;
  readonly fileWrites: number;
  readonly bytesWritten: number;
  readonly cpu: number;
}

/** Counts the daemon's work for a transcript that grows by many lines at once: the cost of a line stays the same. */
export async function* transcript(bench: Bench): AsyncIterable<Figure | NotRun> {
  const notRun = liveMissing();
  if (notRun) {
    for (const name of NAMES) yield { name, notRun };
    return;
  }
  await using daemon = await LiveDaemon.open(bench.scratch);
  const lines = bench.isQuick ? 1000 : 4000;
  // The first of all also pays for code that was not run before.
  await takeIn(daemon, bench, lines / 4);
  const short = await takeIn(daemon, bench, lines / 4);
  const long = await takeIn(daemon, bench, lines);
  yield {
    name: "transcript-file-writes",
    value: long.fileWrites / lines,
    valueUnit: "count",
    note: `writes of the record file for each of ${lines} lines (${long.fileWrites} in all)`,
  };
  yield {
    name: "transcript-bytes-written",
    value: Math.round((100 * long.bytesWritten) / long.bytesRead) / 100,
    valueUnit: "count",
    note: `bytes of record files written for each byte of ${lines} lines`,
  };
  const [ours, baseline] = [long.cpu / long.lines, short.cpu / short.lines];
  yield {
    name: "transcript-cpu",
    value: ours / baseline,
    valueUnit: "x",
    ours,
    baseline,
    unit: "ms",
    note: `daemon CPU for a line of ${lines}, against one of ${lines / 4}`,
  };
}

async function takeIn(daemon: LiveDaemon, bench: Bench, lines: number): Promise<Intake> {
  const cwd = bench.scratch.folder();
  const files = join(cwd, ".rollcall", "sessions");
  const env = { PATH: process.env.PATH ?? "", HOME: daemon.home };
  const input = { agentType: "scripted", args: [], kind: "interactive", cwd, env, file: true };
  const { id } = await daemon.client.call<{ id: string }>("start_session", input);
  await daemon.waitFor(id, "waiting_input");
  const { nativeId } = JSON.parse(readFileSync(join(files, `${id}.json`), "utf8")) as { nativeId: string };
  const folder = join(daemon.home, "scripted", "sessions");
  mkdirSync(folder, { recursive: true });
  using written = countWrites(join(files, `${id}.json`));
  const text = Array.from({ length: lines }, (_, n) => lineOf(n)).join("");
  const before = cpuMs(daemon.pid).own;
  appendFileSync(join(folder, `${nativeId}.jsonl`), text);
  while (!readFileSync(join(files, `${id}.json`), "utf8").includes(`"line ${lines - 1} `)) await sleep(100);
  const cpu = cpuMs(daemon.pid).own - before;
  await daemon.end(id, 100);
  return { lines, cpu, bytesRead: text.length, ...written.sum };
}

function lineOf(n: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ type: "assistant", text: `line ${n} ${"x".repeat(300)}`, time })}\n`;
}

/** Each write of a record file ends with a rename. */
function countWrites(
  path: string,
): Disposable & { readonly sum: Pick<Intake, "fileWrites" | "bytesWritten"> } {
  const sum = { fileWrites: 0, bytesWritten: 0 };
  const watcher = watch(join(path, ".."), (kind, name) => {
    if (kind !== "rename" || !path.endsWith(`/${name}`)) return;
    sum.fileWrites++;
    sum.bytesWritten += statSync(path).size;
  });
  return { sum, [Symbol.dispose]: () => watcher.close() };
}
