import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { LiveDaemon, liveMissing } from "./live-daemon.ts";
import { memoryOf, rssMbOf, showMemory } from "./memory.ts";

/** A quiet session is answered for within this, however many others flood. */
const PROMISED_MS = 1000;
const ROUNDS = 9;
/** Until every flood is at its full pace. */
const SETTLE_MS = 5000;
const VERBS = ["status", "get", "wait", "end"] as const;
const NAMES = [
  ...VERBS.map((verb) => `floods-${verb}`),
  ...["floods-memory", "floods-growth", "floods-piped-end", "floods-piped-memory"],
];
/** The end of one that floods a pipe comes behind its full spool, which is read to its end. */
const PIPED = 10;
const PIPED_END_MS = 1000;

/** Measures commands on a quiet session, as a person sees them, while others write as fast as they can. */
export async function* floods(bench: Bench): AsyncIterable<Figure | NotRun> {
  const notRun = liveMissing();
  if (notRun) {
    for (const name of NAMES) yield { name, notRun };
    return;
  }
  yield* terminalFloods(bench);
  yield* pipedFloods(bench);
}

async function* terminalFloods(bench: Bench): AsyncIterable<Figure> {
  const [flooding, quiet] = bench.isQuick ? [10, 40] : [50, 200];
  await using daemon = await LiveDaemon.open(bench.scratch);
  const ids = await startMany(daemon, quiet, ["sleep", "1000"]);
  await startMany(daemon, flooding, ["yes"]);
  await sleep(SETTLE_MS);
  const before = rssMbOf(daemon.pid);
  const note = `median of ${ROUNDS} with ${flooding} flooding and ${quiet} quiet sessions, against 1 s`;
  for (const verb of VERBS) {
    const ours = await medianMs(ids.splice(0, ROUNDS), (id) => run(daemon, verb, id));
    yield {
      ...{ name: `floods-${verb}`, value: ours / PROMISED_MS, ours, baseline: PROMISED_MS },
      ...{ valueUnit: "x", unit: "ms", note },
    };
  }
  const after = rssMbOf(daemon.pid);
  const parts = showMemory(await memoryOf(daemon));
  yield {
    name: "floods-memory",
    value: after,
    valueUnit: "MB",
    note: `resident set of the daemon; ${parts}`,
  };
  yield {
    ...{ name: "floods-growth", value: after - before, valueUnit: "MB" },
    note: "how much that grew meanwhile",
  };
}

async function* pipedFloods(bench: Bench): AsyncIterable<Figure> {
  await using daemon = await LiveDaemon.open(bench.scratch);
  await Promise.all(Array.from({ length: PIPED }, () => daemon.start("unknown", ["yes"], "autonomous")));
  await sleep(SETTLE_MS);
  const begun = performance.now();
  await daemon.command("end", "--all", "--grace", "1s");
  const ours = (performance.now() - begun) / PIPED;
  yield {
    ...{ name: "floods-piped-end", value: ours / PIPED_END_MS, ours, baseline: PIPED_END_MS },
    ...{ valueUnit: "x", unit: "ms", note: `each of ${PIPED} that flood their pipes, ended at once` },
  };
  yield {
    ...{ name: "floods-piped-memory", value: rssMbOf(daemon.pid), valueUnit: "MB" },
    note: `resident set of the daemon behind their ends; ${showMemory(await memoryOf(daemon))}`,
  };
}

async function startMany(daemon: LiveDaemon, count: number, command: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 10)
    ids.push(...(await Promise.all(Array.from({ length: 10 }, () => daemon.start("unknown", command)))));
  return ids;
}

async function run(daemon: LiveDaemon, verb: (typeof VERBS)[number], id: string): Promise<unknown> {
  switch (verb) {
    case "status":
      return daemon.command("status");
    case "get":
      return daemon.command("get", id);
    case "wait":
      return daemon.command("wait", id, "--until", "running");
    case "end":
      return daemon.command("end", id);
  }
}

async function medianMs(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (const id of ids) {
    const begun = performance.now();
    await work(id);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[times.length >> 1] as number;
}
