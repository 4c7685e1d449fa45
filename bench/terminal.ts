import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { buildPrograms, LiveDaemon, liveMissing } from "./live-daemon.ts";
import { interleave } from "./measure.ts";

const FLOOD_BYTES = 20_000_000;
const KEYS = 2000;
const ATTACH = join(import.meta.dirname, "..", "dist", "native", "rollcall-attach");

/** The cost of a session to its agent: a flood of output and the way of a key, against a bare terminal. */
export async function* terminal(bench: Bench): AsyncIterable<Figure | NotRun> {
  const notRun = liveMissing();
  if (notRun) {
    yield { name: "flood", notRun };
    yield { name: "key-echo", notRun };
    return;
  }
  const programs = buildPrograms(bench.scratch);
  await using daemon = await LiveDaemon.open(bench.scratch);
  const rounds = bench.isQuick ? 3 : 9;
  const flood = await interleave({
    rounds,
    ours: () => msToFlood(daemon, programs),
    baseline: () => firstNumber(programs, ["flood", String(FLOOD_BYTES)]),
  });
  yield {
    name: "flood",
    ...flood,
    value: flood.ratio,
    valueUnit: "x",
    unit: "ms",
    note: "20 MB of output, recorded by the daemon",
  };
  const echo = await interleave({
    rounds,
    ours: () => usToEcho(daemon, programs),
    baseline: () => firstNumber(programs, ["echo", String(KEYS)]),
  });
  const inMs = { ours: echo.ours / 1000, baseline: echo.baseline / 1000 };
  yield {
    name: "key-echo",
    ...inMs,
    value: echo.ratio,
    valueUnit: "x",
    unit: "ms",
    note: "a key through attach and back, median",
  };
}

async function msToFlood(daemon: LiveDaemon, programs: string): Promise<number> {
  const id = await daemon.start("unknown", [join(programs, "probe"), "flood-on-key", String(FLOOD_BYTES)]);
  const took = firstNumber(programs, ["flood", String(FLOOD_BYTES), await daemon.holderSocket(id)]);
  await daemon.end(id, 100);
  return took;
}

async function usToEcho(daemon: LiveDaemon, programs: string): Promise<number> {
  if (!existsSync(ATTACH)) throw new Error("rollcall-attach is not built.");
  const id = await daemon.start("unknown", [join(programs, "probe"), "raw-echo"]);
  const folder = join(await daemon.holderSocket(id), "..");
  const took = firstNumber(programs, ["echo-attach", String(KEYS), ATTACH, folder]);
  await daemon.end(id, 100);
  return took;
}

/** `123.4 ms`, or `p50 123 us, …`. */
function firstNumber(programs: string, args: readonly string[]): number {
  const text = execFileSync(join(programs, "bench"), args, { encoding: "utf8", timeout: 120_000 });
  return Number(/[\d.]+(?= (?:ms|us))/.exec(text)?.[0]);
}
