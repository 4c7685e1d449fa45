import { endBadly, ignoreSignals } from "./signals.ts";
import { startShape } from "./spawn.ts";
import { type Turn, untilAborted } from "./turn.ts";

/** Directives that act on processes: the agent's own and others. */
export const PROCESS_DIRECTIVES = {
  spawn: async (turn: Turn, shape: string) => turn.say(await startShape(shape)),
  run,
  ignore: (turn: Turn, names: string) => {
    ignoreSignals(names.split(/\s+/));
    turn.say(`Ignoring ${names}.`);
  },
  crash: (turn: Turn, how: string) => {
    endBadly(how);
    // The signal is on its way.
    return untilAborted(turn.signal);
  },
  exit: (turn: Turn, code: string) => {
    turn.leaveWith = Number.parseInt(code || "0", 10);
  },
  "lose-transcript": (turn: Turn) => turn.transcript.lose(),
  "drop-events": (turn: Turn) => turn.face.dropEvents?.(),
  "stop-reading": (turn: Turn) => turn.face.stopReading(),
};

/** A shell command as a tool, to its end. */
async function run(turn: Turn, command: string): Promise<void> {
  const id = `call_${crypto.randomUUID()}`;
  turn.tell({ type: "tool_call", id, name: "run", params: { command } });
  const result = await runShell(command, turn.signal);
  turn.tell({ type: "tool_result", id, name: "run", result });
}

async function runShell(
  command: string,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  const { spawn } = await import("node:child_process");
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"], signal });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => output.push(data));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output: Buffer.concat(output).toString() }));
  });
}
