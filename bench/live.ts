import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { LiveDaemon, liveMissing } from "./live-daemon.ts";
import { interleave, tookMs } from "./measure.ts";

const SCRIPTED = join(import.meta.dirname, "..", "dist", "agent", "scripted.cjs");
const MARGIN_MS = 100;

/** How long the scripted agent takes to its prompt, and how long to its proven end. */
export async function* live(bench: Bench): AsyncIterable<Figure | NotRun> {
  const notRun = liveMissing();
  if (notRun) {
    yield { name: "live-start", notRun };
    yield { name: "live-end", notRun };
    return;
  }
  await using daemon = await LiveDaemon.open(bench.scratch);
  const rounds = bench.isQuick ? 7 : 21;
  const started = await interleave({
    rounds,
    ours: () => msToStart(daemon),
    baseline: () => msToStartBare(bench),
  });
  const startNote = "`rollcall start` to the prompt, against spawning it in a bare terminal";
  yield { name: "live-start", ...started, value: started.ratio, valueUnit: "x", unit: "ms", note: startNote };
  const ended = await interleave({ rounds, ours: () => msToEnd(daemon), baseline: () => msToKill(bench) });
  const endNote = "`rollcall end` of an agent that leaves when asked, less 100 ms, against kill and waitpid";
  yield { name: "live-end", ...ended, value: ended.ratio, valueUnit: "x", unit: "ms", note: endNote };
}

async function msToStart(daemon: LiveDaemon): Promise<number> {
  let id = "";
  const took = await tookMs(async () => {
    id = (await daemon.command("start", "scripted", "--detach", "--no-file")).trim();
    await daemon.waitFor(id, "waiting_input");
  });
  await daemon.end(id);
  return took;
}

/** The budget is so many times the bare end, and 100 ms beside that. */
async function msToEnd(daemon: LiveDaemon): Promise<number> {
  const id = await daemon.start("scripted", []);
  await daemon.waitFor(id, "waiting_input");
  const took = await tookMs(async () => {
    const { results } = JSON.parse(await daemon.command("end", id, "--json")) as {
      results: [{ session: { state: string } }];
    };
    const { state } = results[0].session;
    if (state !== "stopped") throw new Error(`It is ${state}.`);
  });
  return Math.max(0, took - MARGIN_MS);
}

/** In a terminal of `script`, until it shows its prompt. */
async function msToStartBare(bench: Bench): Promise<number> {
  const { child, tookToPrompt } = await startBare(bench);
  child.kill("SIGKILL");
  await once(child, "close");
  return tookToPrompt;
}

async function msToKill(bench: Bench): Promise<number> {
  const { child, agent } = await startBare(bench);
  return tookMs(async () => {
    process.kill(agent, "SIGTERM");
    await once(child, "close");
  });
}

async function startBare(bench: Bench) {
  const began = performance.now();
  const command = `echo "pid $$"; exec ${process.execPath} ${SCRIPTED}`;
  const child = bench.scratch.watch(
    spawn("script", ["-qfec", command, "/dev/null"], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { PATH: process.env.PATH, HOME: bench.scratch.folder(), TERM: "xterm-256color" },
    }),
  );
  let shown = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (data: Buffer) => {
      shown += data.toString();
      if (/^> /m.test(shown.replaceAll("\r", ""))) resolve();
    });
    child.once("close", () => reject(new Error(`It showed no prompt: ${shown}`)));
  });
  const agent = Number(/pid (\d+)/.exec(shown)?.[1]);
  return { child, agent, tookToPrompt: performance.now() - began };
}
